import { FileButton } from "../images/file-button.tsx"
import { useCanvas } from "./canvas-context.ts"

/** Chooses the file of an image block. */
export function UploadButton({
  blockKey,
  ...button
}: {
  blockKey: string
  label: string
  onPaper?: boolean
}) {
  const { uploads } = useCanvas()
  return <FileButton {...button} onFile={(file) => void uploads.start(blockKey, file)} />
}
