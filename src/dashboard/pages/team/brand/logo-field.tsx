import { useState } from "react"
import { uploadImage } from "../../../api/upload.ts"
import { Button } from "../../../ui/button.tsx"
import { messageOf } from "../../../ui/form/error-box.tsx"
import { canShowImage } from "../../../ui/own-image.ts"
import { FileButton } from "../../blocks/images/file-button.tsx"
import { resizeImage } from "../../blocks/images/resize-image.ts"

/** Twice as wide as the widest message shows it. */
const MAX_WIDTH = 720

/** The logo is uploaded at once, and a part of the brand when the brand is saved. */
export function LogoField({ url, onChange }: { url: string; onChange(url: string): void }) {
  const [failed, setFailed] = useState<{ file: File; message: string } | null>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const take = async (file: File) => {
    const controller = new AbortController()
    running?.abort()
    setRunning(controller)
    setFailed(null)
    try {
      const image = await uploadImage(await resizeImage(file, MAX_WIDTH), controller.signal)
      onChange(image.url)
    } catch (error) {
      if (!controller.signal.aborted) setFailed({ file, message: messageOf(error) })
    }
    setRunning((now) => (now === controller ? null : now))
  }
  return (
    <fieldset className="grid justify-items-start gap-2">
      <legend className="mb-1 font-medium">Logo</legend>
      {url !== "" &&
        (canShowImage(url) ? (
          <img
            src={url}
            alt="Your logo"
            className="max-h-16 max-w-full rounded-md border bg-white p-2"
          />
        ) : (
          <span className="text-xs text-muted wrap-anywhere">{url}</span>
        ))}
      <div className="flex flex-wrap items-center gap-2">
        <FileButton label={url === "" ? "Upload a logo" : "Replace the logo"} onFile={take} />
        {url !== "" && (
          <Button kind="quiet" onClick={() => onChange("")}>
            Remove
          </Button>
        )}
        <span role="status" className="text-xs text-muted">
          {running && "Uploading"}
        </span>
        {running && (
          <Button small kind="quiet" onClick={() => running.abort()}>
            Cancel upload
          </Button>
        )}
      </div>
      {failed && (
        <div role="alert" className="flex flex-wrap items-center gap-2 text-xs text-failed">
          {failed.message}
          <Button small onClick={() => take(failed.file)}>
            Try again
          </Button>
        </div>
      )}
    </fieldset>
  )
}
