import { useState } from "react"
import { AddBlocks } from "./add-blocks.tsx"
import { BlockList } from "./block-list.tsx"
import { TOP } from "./draft.ts"
import { useDrag } from "./drag.ts"
import { actionsOf, EditorContext, type EditorInput } from "./editor-context.ts"

const INSTRUCTIONS =
  "Alt and an arrow key move a block, Delete removes it, Ctrl or Cmd and D duplicate it."

/** Blocks as a list that is changed by keyboard or by dragging. */
export function BlockEditor(input: EditorInput) {
  const [selected, select] = useState<string | null>(null)
  const [said, announce] = useState("")
  const { drag, grab } = useDrag(({ key, to }) => actionsOf(editor).moveTo(key, to.list, to.index))
  const editor = { ...input, selected, select, announce, drag, grab }

  return (
    <EditorContext value={editor}>
      <div data-list={TOP}>
        <BlockList list={TOP} blocks={input.drafts} label="Blocks" />
      </div>
      <AddBlocks />
      <p id="block-keys" className="sr-only">
        {INSTRUCTIONS}
      </p>
      <p role="status" className="sr-only">
        {said}
      </p>
    </EditorContext>
  )
}
