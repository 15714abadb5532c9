import type { KeyboardEvent } from "react"
import { columnOf, keysInOrder, listsOf, placeOf, TOP } from "../draft/draft.ts"
import { blockActions } from "./block-actions.ts"
import type { Canvas } from "./canvas-context.ts"
import { focusBlock, type Part } from "./focus-block.ts"

const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }
const COLUMN_STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 }

/** The keys of a block, while its handle or its text has the focus. */
export function blockKeys(event: KeyboardEvent<HTMLElement>, canvas: Canvas) {
  const target = event.target as HTMLElement
  const key = target.closest<HTMLElement>("[data-block]")?.dataset.block
  const part = target.isContentEditable ? "text" : "handle"
  const isBlock = target.isContentEditable || target.dataset.handle !== undefined
  if (!key || !isBlock || isTaken(event) || event.nativeEvent.isComposing) return
  const done =
    anywhere(event, canvas, key, part) || (part === "handle" && onHandle(event, canvas, key))
  if (done) event.preventDefault()
}

/** The text editor prevents the default of Enter and Esc, also where it does nothing with them. */
const isTaken = ({ defaultPrevented, key }: KeyboardEvent) =>
  defaultPrevented && key !== "Enter" && key !== "Escape"

function anywhere(event: KeyboardEvent, canvas: Canvas, key: string, part: Part): boolean {
  const actions = blockActions(canvas)
  const isMod = event.ctrlKey || event.metaKey
  const step = STEPS[event.key]
  const column = COLUMN_STEPS[event.key]
  if (event.altKey && step) actions.moveBy(key, step, part)
  else if (event.altKey && column && part === "handle") moveToColumn(canvas, key, column)
  else if (event.altKey && event.key === "Enter") canvas.openSettings()
  else if (event.altKey && event.key === "F10") focusToolbar(event.currentTarget)
  else if (isMod && event.key.toLowerCase() === "d") actions.duplicate(key)
  else if (event.key === "Escape" && part === "text") focusBlock(key, "handle")
  else return false
  return true
}

function onHandle(event: KeyboardEvent, canvas: Canvas, key: string): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const step = STEPS[event.key]
  if (step) {
    const keys = keysInOrder(canvas.read().blocks)
    const next = keys[keys.indexOf(key) + step]
    if (next) focusBlock(next, "handle")
  } else if (event.key === "Enter") focusBlock(key, "text")
  else if (event.key === "Escape") canvas.select(null)
  else if (event.key === "Delete" || event.key === "Backspace") blockActions(canvas).remove(key)
  else return false
  return true
}

function moveToColumn(canvas: Canvas, key: string, step: number) {
  const { blocks } = canvas.read()
  const place = placeOf(blocks, key)
  if (!place || place.list === TOP) return
  const [row = ""] = place.list.split("/")
  const next = `${row}/${columnOf(place.list) + step}`
  const length = listsOf(blocks).get(next)?.length
  if (length !== undefined) blockActions(canvas).moveTo(key, next, length)
}

const focusToolbar = (canvas: EventTarget & Element) =>
  canvas.closest("[data-canvas]")?.querySelector<HTMLElement>("[role=toolbar] button")?.focus()
