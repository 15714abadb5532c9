import type { Packed } from "../../platform/db/overflow.ts"
import { packContents, readContent } from "../../platform/db/packed-content.ts"
import type { SandboxMessage } from "../../sandbox/contract.ts"
import type { LargeParts } from "../large-parts.ts"
import { type MimeParts, outlineMime } from "../mime.ts"
import type { OutgoingMessage } from "../provider.ts"
import type { sandboxMessages } from "./table.ts"

/** A message as it is kept. A reader composes the MIME: few messages are ever read. */
type Kept = Omit<MimeParts, "emailId">

export function packMessage(message: OutgoingMessage): Packed {
  const { from, to, cc, replyTo, subject, html, text, headers, messageId, attachments } = message
  const kept: Kept = { from, to, cc, replyTo, subject, html, text, headers, messageId, attachments }
  return packContents([kept])[0] as Packed
}

/** Headers and attachments are read from the MIME, as a mail program reads them. */
export async function unpackMessage(
  { emailId, createdAt }: Pick<typeof sandboxMessages.$inferSelect, "emailId" | "createdAt">,
  bytes: Buffer,
): Promise<Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">> {
  const kept = readContent<Kept>(bytes)
  const { subject, html, text } = kept
  const { outline, large } = await outlineMime({ ...kept, emailId }, createdAt)
  return {
    subject,
    html,
    text,
    links: await linksIn(html, text),
    ...(await readMime(outline, large)),
    raw: Buffer.concat([...large.putInto(outline)]).toString("utf8"),
  }
}

async function readMime(
  outline: Buffer,
  large: LargeParts,
): Promise<Pick<SandboxMessage, "headers" | "attachments">> {
  const { default: PostalMime, decodeWords } = await import("postal-mime")
  const message = await PostalMime.parse(outline, { forceRfc822Attachments: true })
  const headers: SandboxMessage["headers"] = {}
  for (const { key, value } of message.headers) {
    const earlier = headers[key]
    const decoded = decodeWords(value)
    headers[key] = earlier === undefined ? decoded : [earlier, decoded].flat()
  }
  const attachments = message.attachments.map(({ filename, mimeType, content, contentId }) => ({
    filename,
    contentType: mimeType,
    size: large.bytesOf(Buffer.from(content as ArrayBuffer)),
    contentId: contentId?.replace(/^<|>$/g, "") ?? null,
  }))
  return { headers, attachments }
}

const ATTRIBUTE = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
/** With brackets in pairs, but without punctuation behind it. */
const PLAIN_URL =
  /https?:\/\/(?:\([^\s<>"'()\]]*\)|[^\s<>"'()\]])*(?:\([^\s<>"'()\]]*\)|[^\s<>"'()\].,;:!?])/gi

async function linksIn(html: string | null, text: string | null): Promise<string[]> {
  const { decodeHTMLAttribute } = await import("entities/decode")
  const inHtml = [...(html ?? "").matchAll(ATTRIBUTE)]
    .map(([, double, single, bare]) => decodeHTMLAttribute(double ?? single ?? bare ?? ""))
    .filter((url) => /^https?:/i.test(url))
  return [...new Set([...inHtml, ...((text ?? "").match(PLAIN_URL) ?? [])])]
}
