import { type MouseEvent, useMemo, useRef, useState } from "react"
import { campaignBlocks } from "../../../../worker/campaigns/blocks/contract.ts"
import { toLook } from "../../../../worker/campaigns/blocks/look.ts"
import { draftOf, type Kind, update } from "../draft/draft.ts"
import type { BlockCanvasProps } from "./canvas.tsx"
import type { Canvas } from "./canvas-context.ts"
import { focusBlock, handleOf } from "./focus-block.ts"
import { widthOf } from "./image-width.ts"
import { KINDS } from "./kinds.ts"
import type { ActiveText } from "./text-tools.tsx"
import { useUndoKeys } from "./undo-keys.ts"
import { createUploads } from "./uploads.ts"

const ALL = Object.keys(KINDS) as Kind[]

/** What is selected, edited and open. The blocks themselves belong to the owner. */
export function useCanvasState(props: BlockCanvasProps) {
  const [wanted, select] = useState<string | null>(null)
  const [text, setText] = useState<(ActiveText & { key: string | undefined }) | null>(null)
  const [said, announce] = useState("")
  const [slash, openSlashMenu] = useState<string | null>(null)
  const [sheet, openSheet] = useState(false)
  useUndoKeys(props.history)
  const selected = wanted !== null && draftOf(props.blocks, wanted) ? wanted : null
  const latest = useRef({ props, selected })
  latest.current = { props, selected }
  const takesHtml = props.schema === campaignBlocks
  const uploads = useMemo(() => uploadsOf(() => latest.current.props, announce), [])
  const canvas = useMemo<Canvas>(
    () => ({
      kinds: ALL.filter((kind) => kind !== "html" || takesHtml),
      read: () => ({ blocks: latest.current.props.blocks, selected: latest.current.selected }),
      change: (next, step) => latest.current.props.onChange(next, step),
      select,
      announce,
      activate: (editor, kind) => setText({ editor, kind, key: blockOf(editor.view.dom) }),
      openSlashMenu,
      openSettings() {
        if (!focusSettings()) openSheet(true)
      },
      uploads,
    }),
    [uploads, takesHtml],
  )
  return {
    canvas,
    selected,
    said,
    slash,
    sheet,
    openSlashMenu,
    openSheet,
    text: text?.key === selected && !text?.editor.isDestroyed ? text : null,
  }
}

function uploadsOf(props: () => BlockCanvasProps, announce: (text: string) => void) {
  return createUploads({
    widthOf: (key) => widthOf(props().blocks, key, toLook(props().theme).contentWidth),
    onUploaded: (key, url) => props().onChange((before) => update(before, key, { url })),
    announce,
  })
}

export const blockOf = (element: Element) =>
  element.closest<HTMLElement>("[data-block]")?.dataset.block

/** The fields beside the canvas, if the window is wide enough to show them. */
function focusSettings(): boolean {
  const settings = document.querySelector<HTMLElement>("[data-settings]")
  if (!settings || settings.offsetParent === null) return false
  settings.querySelector<HTMLElement>("input, [role=combobox]")?.focus()
  return true
}

/** A press on a part that takes no focus selects its block; one beside all blocks selects none. */
export function selectByMouse(event: MouseEvent<HTMLElement>, canvas: Canvas) {
  const target = event.target as HTMLElement
  if (!event.currentTarget.contains(target)) return
  if (target.closest("[contenteditable=true], button, input, label")) return
  const key = blockOf(target)
  if (!key) return canvas.select(null)
  event.preventDefault()
  canvas.select(key)
  if (document.activeElement !== handleOf(key)) focusBlock(key, "handle")
}
