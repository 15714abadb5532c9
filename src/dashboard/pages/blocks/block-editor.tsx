import {
  type CollisionDetection,
  closestCenter,
  DndContext,
  type DragEndEvent,
  PointerSensor,
  pointerWithin,
  useSensor,
  useSensors,
} from "@dnd-kit/core"
import { useState } from "react"
import { AddBlocks } from "./add-blocks.tsx"
import { BlockList } from "./block-list.tsx"
import { type ListId, listsOf, placeOf, TOP } from "./draft.ts"
import { actionsOf, EditorContext, type EditorInput } from "./editor-context.ts"

/** Chooses the inner one of two targets under the pointer: a block in a column, not the columns. */
const innermost: CollisionDetection = (args) => {
  const under = pointerWithin(args).filter(({ id }) => id !== args.active.id)
  const inner = under.find(({ id }) => String(id).includes("/") || isInColumn(String(id)))
  return inner ? [inner] : under.length > 0 ? under : closestCenter(args)
}

const isInColumn = (key: string) =>
  document.getElementById(`${key}-head`)?.closest("[data-column]") !== null

const INSTRUCTIONS =
  "Drag with a pointer. By keyboard: Alt and an arrow key move a block, Delete removes it, Ctrl or Cmd and D duplicate it."

/** Blocks as a list that is changed by keyboard or by dragging. */
export function BlockEditor(input: EditorInput) {
  const [selected, select] = useState<string | null>(null)
  const [said, announce] = useState("")
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }))
  const editor = { ...input, selected, select, announce }

  function drop({ active, over }: DragEndEvent) {
    if (!over || over.id === active.id) return
    const target = String(over.id)
    const end = listsOf(input.drafts).get(target as ListId)
    const place = end ? { list: target, index: end.length } : placeOf(input.drafts, target)
    if (place) actionsOf(editor).moveTo(String(active.id), place.list, place.index)
  }

  return (
    <EditorContext value={editor}>
      <DndContext
        sensors={sensors}
        collisionDetection={innermost}
        onDragEnd={drop}
        accessibility={{ screenReaderInstructions: { draggable: INSTRUCTIONS } }}
      >
        <BlockList list={TOP} blocks={input.drafts} label="Blocks" />
      </DndContext>
      <AddBlocks />
      <p role="status" className="sr-only">
        {said}
      </p>
    </EditorContext>
  )
}
