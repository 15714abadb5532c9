import { ImageUp } from "lucide-react"
import { type DragEvent, useId, useState } from "react"
import { alignOf, BESIDE } from "../../../worker/campaigns/blocks/render-block.ts"
import type { ContentProps } from "./block-content.tsx"
import { useBlockActions, useCanvas } from "./canvas-context.ts"
import type { Cell } from "./draft.ts"
import { styleOf } from "./drawn.ts"
import { focusBlock } from "./focus-block.ts"
import { TextBox } from "./text-box.tsx"

type Image = Extract<Cell, { kind: "image" }>

/**
 * The dashboard's policy loads no image of another host: a box stands in its place, with the words
 * that a mail client shows while it holds images back.
 */
const canShow = (url: string) =>
  url.startsWith("data:") || (URL.canParse(url) && new URL(url).origin === location.origin)

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : "")

export function ImageContent({ block, problemId }: ContentProps<Image>) {
  const { upload } = useCanvas()
  const actions = useBlockActions()
  const style = {
    ...styleOf(BESIDE[alignOf(block)]),
    width: `${block.width ?? 100}%`,
  }
  const alt = (
    <TextBox
      kind="line"
      label="Alternative text"
      placeholder="Describe the image"
      value={block.alt}
      problemId={problemId}
      onChange={(alt) => actions.update(block.key, { alt })}
    />
  )
  if (canShow(block.url)) {
    return (
      <>
        <img src={block.url} alt="" style={{ ...style, display: "block", height: "auto" }} />
        <div data-caption className="font-sans text-xs">
          {alt}
        </div>
      </>
    )
  }
  return (
    <div
      style={style}
      className="grid min-h-24 content-center justify-items-center gap-1 rounded-md border border-dashed border-current p-3 text-center font-sans text-sm"
    >
      {block.url === "" ? (
        <EmptyImage blockKey={block.key} />
      ) : (
        <span className="max-w-full truncate text-xs">Image on {hostOf(block.url)}</span>
      )}
      {(block.url !== "" || !upload) && <div className="w-full">{alt}</div>}
    </div>
  )
}

function EmptyImage({ blockKey }: { blockKey: string }) {
  const { upload } = useCanvas()
  return upload ? (
    <DropZone blockKey={blockKey} upload={upload} />
  ) : (
    <span className="text-xs">Enter the image URL in the block's settings</span>
  )
}

type Upload = NonNullable<ReturnType<typeof useCanvas>["upload"]>

/** Takes a file by drop or by choice, and then asks for the words. */
function DropZone({ blockKey, upload }: { blockKey: string; upload: Upload }) {
  const actions = useBlockActions()
  const id = useId()
  const [state, setState] = useState<"waiting" | "busy" | { failed: string }>("waiting")
  async function take(file: File | undefined) {
    if (!file) return
    setState("busy")
    try {
      const { url } = await upload(file)
      actions.update(blockKey, { url })
      focusBlock(blockKey, "text")
    } catch (error) {
      setState({ failed: error instanceof Error ? error.message : String(error) })
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(event.dataTransfer.files[0])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does the same
    <div onDragOver={(event) => event.preventDefault()} onDrop={drop} className="grid gap-1">
      <label
        htmlFor={id}
        className="inline-flex cursor-pointer items-center justify-center gap-2 rounded-md border border-current px-3 py-1 font-medium focus-within:outline-2 focus-within:outline-focus"
      >
        <ImageUp size={14} aria-hidden />
        {state === "busy" ? "Uploading" : "Upload an image"}
        <input
          id={id}
          type="file"
          accept="image/*"
          className="sr-only"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      <span role="status" className="text-xs">
        {typeof state === "object" ? state.failed : "Or drop a file here"}
      </span>
    </div>
  )
}
