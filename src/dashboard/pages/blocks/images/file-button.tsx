import { ImageUp } from "lucide-react"
import { useId } from "react"
import { buttonClass } from "../../../ui/button.tsx"
import { cx } from "../../../ui/cx.ts"
import { IMAGE_TYPES } from "./image-types.ts"

interface Props {
  label: string
  /** On the paper of a message it has the colors of the text. */
  onPaper?: boolean
  onFile(file: File): void
}

/** Chooses an image file. */
export function FileButton({ label, onPaper, onFile }: Props) {
  const id = useId()
  return (
    <label
      htmlFor={id}
      className={cx(
        "cursor-pointer focus-within:outline-2 focus-within:outline-focus",
        onPaper
          ? "inline-flex h-8 items-center gap-2 rounded-md border border-current px-3 font-medium"
          : buttonClass(),
      )}
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
          if (file) onFile(file)
          target.value = ""
        }}
      />
    </label>
  )
}
