import { EdgepostError } from "./error.ts"
import type { SendInput } from "./types.ts"

/** The content of a file: base64, or bytes of any kind, such as a Node `Buffer`. */
export type AttachmentContent = string | ArrayBufferView | ArrayBuffer | Blob

export type Attachment = Omit<NonNullable<SendInput["attachments"]>[number], "content"> & {
  /** All attachments of an email together have at most 10 MiB. The type of a `Blob` is the default of `contentType`. */
  content: AttachmentContent
}

/** An email needs at least one of these members. */
type Body =
  | Required<Pick<SendInput, "html">>
  | Required<Pick<SendInput, "text">>
  | Required<Pick<SendInput, "template">>
  | Required<ReactBody>

interface ReactBody {
  /** A React element in place of `html` and `text`; import `edgepost/react` once. A given `html` or `text` wins. */
  react?: unknown
}

/** An email. Its body may be a React element, which `edgepost/react` renders. */
export type EmailInput = Omit<SendInput, "attachments" | "scheduledAt"> &
  ReactBody &
  Body & {
    attachments?: Attachment[]
    /** More than 5 seconds ahead: sent then. Up to one year ahead. */
    scheduledAt?: string | Date | null
  }

type Render = (element: unknown) => Promise<{ html: string; text: string }>

let render: Render | undefined

/** Called by `edgepost/react`, so that the client itself does not need React. */
export function setReactRenderer(renderer: Render): void {
  render = renderer
}

/** The body of the call: elements are rendered, and bytes become base64. JSON makes texts of dates. */
export async function toSendInput({ react, attachments, ...input }: EmailInput) {
  const files = attachments && (await Promise.all(attachments.map(encode)))
  const mail = { ...input, ...(files && { attachments: files }) }
  if (react === undefined || react === null) return mail
  const { html, text } = await renderReact(react)
  return { ...mail, html: input.html ?? html, text: input.text ?? text }
}

async function renderReact(element: unknown): Promise<{ html: string; text: string }> {
  if (render) return render(element)
  const message = 'To send a React element, import "edgepost/react" once.'
  throw new EdgepostError({ code: "configuration", message })
}

async function encode({ content, ...file }: Attachment, index: number) {
  if (typeof content === "string") return { ...file, content }
  const isBlob = content instanceof Blob
  const bytes = toBytes(isBlob ? await content.arrayBuffer() : content)
  if (!bytes) throw wrongContent(file.filename, index)
  const type = isBlob && content.type ? { contentType: content.type } : {}
  return { ...type, ...file, content: toBase64(bytes) }
}

function toBytes(content: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(content)) {
    return new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
  }
  // Not `instanceof`: test runners have an `ArrayBuffer` beside that of Node.
  const isBuffer = Object.prototype.toString.call(content) === "[object ArrayBuffer]"
  return isBuffer ? new Uint8Array(content as ArrayBuffer) : null
}

function wrongContent(filename: unknown, index: number): EdgepostError {
  const which = typeof filename === "string" ? `"${filename}"` : index + 1
  const message = `The content of attachment ${which} must be base64, bytes such as a Buffer, or a Blob. Await a promise, and read a stream or Response first.`
  return new EdgepostError({ code: "configuration", message })
}

/** A multiple of three bytes, so that the parts of the text join. More arguments would exceed the stack. */
const BYTES_AT_ONCE = 3 * 8_192

function toBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE)))
  }
  return text
}
