import { ImageUp } from "lucide-react"
import { useId } from "react"
import { useCanvas } from "../canvas-context.ts"
import { IMAGE_TYPES } from "./files.ts"

/** Chooses the file of an image block. */
export function UploadButton({ blockKey, label }: { blockKey: string; label: string }) {
  const { uploads } = useCanvas()
  const id = useId()
  if (!uploads) return null
  return (
    <label
      htmlFor={id}
      className="inline-flex h-8 cursor-pointer items-center justify-center gap-2 rounded-md border border-current px-3 text-sm font-medium focus-within:outline-2 focus-within:outline-focus"
    >
      <ImageUp size={14} aria-hidden />
      {label}
      <input
        id={id}
        type="file"
        accept={IMAGE_TYPES}
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void uploads.start(blockKey, file)
          target.value = ""
        }}
      />
    </label>
  )
}
