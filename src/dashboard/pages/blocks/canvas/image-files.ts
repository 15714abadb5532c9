import { type ClipboardEvent, type DragEvent, useState } from "react"
import { say } from "../../../ui/toast.tsx"
import { draftOf } from "../draft/draft.ts"
import { blockActions } from "./block-actions.ts"
import type { Canvas } from "./canvas-context.ts"

const hasFiles = ({ types }: DataTransfer) => types.includes("Files")

/** A copied table or text comes with a picture of itself. */
const isPicture = (data: DataTransfer) => hasFiles(data) && !data.types.includes("text/plain")

/**
 * Takes image files that are dropped or pasted anywhere on the canvas. They come before the text
 * editor, which would take them for text.
 */
export function useImageFiles(canvas: Canvas) {
  const [isOver, setOver] = useState(false)
  return {
    isOver,
    on: {
      onDragOverCapture(event: DragEvent) {
        if (!hasFiles(event.dataTransfer)) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false)
      },
      onDropCapture(event: DragEvent) {
        setOver(false)
        if (hasFiles(event.dataTransfer)) take(event, event.dataTransfer.files, canvas)
      },
      onPasteCapture(event: ClipboardEvent) {
        if (isPicture(event.clipboardData)) take(event, event.clipboardData.files, canvas)
      },
    },
  }
}

/** The first file goes into the image under it. Every other one becomes a block below. */
function take(event: ClipboardEvent | DragEvent, files: FileList, canvas: Canvas) {
  event.preventDefault()
  event.stopPropagation()
  const images = [...files].filter(({ type }) => type.startsWith("image/"))
  if (images.length < files.length) say("Only images can be added: PNG, JPEG, GIF or WebP.")
  let at = (event.target as Element).closest<HTMLElement>("[data-block]")?.dataset.block ?? null
  const isImage = at !== null && draftOf(canvas.read().blocks, at)?.kind === "image"
  for (const [index, file] of images.entries()) {
    if (index > 0 || !isImage || at === null) at = blockActions(canvas).addAfter(at, "image")
    void canvas.uploads.start(at, file)
  }
}
