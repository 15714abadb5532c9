import type { CSSProperties, ReactNode } from "react"
import { besideOf } from "../../../../worker/campaigns/blocks/render-block.ts"
import { Button } from "../../../ui/button.tsx"
import { canShowImage } from "../../../ui/own-image.ts"
import type { Cell } from "../draft/draft.ts"
import { styleOf, useDrawing } from "../drawn.ts"
import type { ContentProps } from "./block-content.tsx"
import { useBlockActions, useCanvas, useUpload } from "./canvas-context.ts"
import { TextBox } from "./text-box.tsx"
import { UploadButton } from "./upload-button.tsx"
import type { Upload } from "./uploads.ts"

type Image = Extract<Cell, { kind: "image" }>

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : "")

export function ImageContent({ block, problemId }: ContentProps<Image>) {
  const upload = useUpload(block.key)
  const { look } = useDrawing()
  const style = { ...styleOf(besideOf(block, look)), width: `${block.width ?? 100}%` }
  const shown = upload?.shown ?? (canShowImage(block.url) ? block.url : null)
  const alt = <AlternativeText block={block} problemId={problemId} />
  return (
    <>
      {shown === null ? (
        <Placeholder {...{ block, style, upload, alt }} />
      ) : (
        <>
          <Picture {...{ style, upload }} src={shown} blockKey={block.key} />
          <div data-caption className="font-sans text-xs">
            {alt}
          </div>
        </>
      )}
      {upload?.failed && <Failed blockKey={block.key} upload={upload} />}
    </>
  )
}

function AlternativeText({ block, problemId }: Pick<ContentProps<Image>, "block" | "problemId">) {
  const actions = useBlockActions()
  return (
    <TextBox
      kind="line"
      label="Alternative text"
      placeholder="Describe the image for people who cannot see it"
      value={block.alt}
      problemId={problemId}
      onChange={(alt) => actions.update(block.key, { alt })}
    />
  )
}

interface Shown {
  style: CSSProperties
  upload: Upload | undefined
}

/** An image that is being uploaded is shown where it will be, with its progress on it. */
function Picture({ src, style, upload, blockKey }: Shown & { src: string; blockKey: string }) {
  const { uploads } = useCanvas()
  const isBusy = upload !== undefined && !upload.failed
  const percent = Math.round((upload?.share ?? 0) * 100)
  return (
    <div className="relative" style={style}>
      <img
        src={src}
        alt=""
        draggable={false}
        className={upload ? "opacity-60" : undefined}
        style={{ display: "block", width: "100%", height: "auto" }}
      />
      {isBusy && (
        <>
          <div
            role="progressbar"
            aria-label="Uploading the image"
            aria-valuenow={percent}
            className="absolute inset-x-0 bottom-0 h-1.5 bg-sunken"
          >
            <div className="h-full bg-focus transition-[width]" style={{ width: `${percent}%` }} />
          </div>
          <div className="absolute top-1 right-1 rounded-md bg-raised font-sans text-ink">
            <Button small onClick={() => uploads.forget(blockKey)}>
              Cancel upload
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

/**
 * The dashboard's policy loads no image of another host: a box stands in its place, with the words
 * that a mail client shows while it holds images back.
 */
function Placeholder({ block, style, upload, alt }: Shown & { block: Image; alt: ReactNode }) {
  return (
    <div
      style={style}
      className="grid min-h-24 content-center justify-items-center gap-1 rounded-md border border-dashed border-current p-3 text-center font-sans text-sm"
    >
      {block.url === "" ? (
        <Empty blockKey={block.key} isReading={upload !== undefined && !upload.failed} />
      ) : (
        <span className="max-w-full truncate text-xs">Image on {hostOf(block.url)}</span>
      )}
      {block.url !== "" && <div className="w-full">{alt}</div>}
    </div>
  )
}

function Empty({ blockKey, isReading }: { blockKey: string; isReading: boolean }) {
  return (
    <>
      <UploadButton onPaper blockKey={blockKey} label="Upload an image" />
      <span className="text-xs">{isReading ? "Reading the file" : "Or drop or paste it here"}</span>
    </>
  )
}

/** Not a part of the message, so it has the colors of the dashboard. */
function Failed({ blockKey, upload }: { blockKey: string; upload: Upload }) {
  const { uploads } = useCanvas()
  return (
    <div role="alert" className="bg-raised px-2 py-1 font-sans text-xs">
      <p className="text-failed wrap-anywhere">{upload.failed?.message}</p>
      <div className="flex flex-wrap gap-2 py-1 text-ink">
        {upload.failed?.mayRetry && (
          <Button small onClick={() => void uploads.start(blockKey, upload.file)}>
            Try again
          </Button>
        )}
        <Button small kind="quiet" onClick={() => uploads.forget(blockKey)}>
          Discard
        </Button>
      </div>
    </div>
  )
}
