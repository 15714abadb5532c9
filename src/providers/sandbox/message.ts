import type { SandboxMessage } from "../../sandbox/contract.ts"
import { composeMime, LONG_CHARACTERS, type MimeParts } from "../mime.ts"
import type { OutgoingMessage } from "../provider.ts"
import type { sandboxMessages } from "./table.ts"

/** A message as it is stored. */
type Packed = Omit<MimeParts, "emailId">

/** Earlier versions stored the MIME itself, with one character per byte. */
type EarlierPacked = Pick<Packed, "subject" | "html" | "text"> & { raw: string }

/** A reader composes the MIME: few messages are ever read. */
export function packMessage(message: OutgoingMessage): string {
  const { from, to, cc, replyTo, subject, html, text, headers, attachments } = message
  const packed: Packed = { from, to, cc, replyTo, subject, html, text, headers, attachments }
  return JSON.stringify(packed)
}

/** Headers and attachments are read from the MIME, as a mail program reads them. */
export async function unpackMessage(
  { emailId, createdAt }: Pick<typeof sandboxMessages.$inferSelect, "emailId" | "createdAt">,
  bytes: Buffer,
): Promise<Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">> {
  const packed = JSON.parse(bytes.toString("utf8")) as Packed | EarlierPacked
  const { subject, html, text } = packed
  const raw =
    "raw" in packed
      ? Buffer.from(packed.raw, "latin1")
      : await composeMime({ ...packed, emailId }, createdAt)
  return {
    subject,
    html,
    text,
    links: await linksIn(html, text),
    ...(await readMime(isLong(packed) ? await composeShort(packed, emailId, createdAt) : raw)),
    raw: raw.toString("utf8"),
  }
}

const isLong = (packed: Packed | EarlierPacked): packed is Packed =>
  !("raw" in packed) &&
  [packed.html, packed.text].some((text) => (text?.length ?? 0) > LONG_CHARACTERS)

/**
 * The message with its long texts cut, for a reader of headers and attachments: what is left of a
 * text has the same encoding.
 */
function composeShort({ html, text, ...packed }: Packed, emailId: string, createdAt: number) {
  const cut = (long: string | null) => long?.slice(0, LONG_CHARACTERS + 1) ?? null
  return composeMime({ ...packed, html: cut(html), text: cut(text), emailId }, createdAt)
}

async function readMime(raw: Buffer): Promise<Pick<SandboxMessage, "headers" | "attachments">> {
  const { default: PostalMime, decodeWords } = await import("postal-mime")
  const message = await PostalMime.parse(raw, { forceRfc822Attachments: true })
  const headers: SandboxMessage["headers"] = {}
  for (const { key, value } of message.headers) {
    const earlier = headers[key]
    const decoded = decodeWords(value)
    headers[key] = earlier === undefined ? decoded : [earlier, decoded].flat()
  }
  const attachments = message.attachments.map(({ filename, mimeType, content, contentId }) => ({
    filename,
    contentType: mimeType,
    size: typeof content === "string" ? content.length : content.byteLength,
    contentId: contentId?.replace(/^<|>$/g, "") ?? null,
  }))
  return { headers, attachments }
}

const ATTRIBUTE = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const PLAIN_URL = /https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/gi

async function linksIn(html: string | null, text: string | null): Promise<string[]> {
  const { decodeHTMLAttribute } = await import("entities/decode")
  const inHtml = [...(html ?? "").matchAll(ATTRIBUTE)]
    .map(([, double, single, bare]) => decodeHTMLAttribute(double ?? single ?? bare ?? ""))
    .filter((url) => /^https?:/i.test(url))
  return [...new Set([...inHtml, ...((text ?? "").match(PLAIN_URL) ?? [])])]
}
