import { isUtf8 } from "node:buffer"
import { firstMatches } from "../../../lib/text.ts"
import type { Packed } from "../../platform/db/overflow.ts"
import {
  packContents,
  packMessage as packWhole,
  readContent,
} from "../../platform/db/packed-content.ts"
import { MAX_LINKS, type SandboxMessage } from "../../sandbox/contract.ts"
import { type MimeParts, outlineMime } from "../mime.ts"
import type { OutgoingMessage } from "../provider.ts"
import type { sandboxMessages } from "./table.ts"

/** A message as it is kept. A reader composes the MIME: few messages are ever read. */
type Kept = Omit<MimeParts, "emailId">

export function packMessage(message: OutgoingMessage): Packed {
  const { from, to, cc, replyTo, subject, html, text, headers, messageId, attachments } = message
  const kept: Kept = { from, to, cc, replyTo, subject, html, text, headers, messageId, attachments }
  return message.raw ? packWhole(kept, [message.raw]) : (packContents([kept])[0] as Packed)
}

/** Headers and attachments are read from the MIME, as a mail program reads them. */
export async function unpackMessage(
  { emailId, createdAt }: Pick<typeof sandboxMessages.$inferSelect, "emailId" | "createdAt">,
  bytes: Buffer,
): Promise<Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">> {
  const kept = readContent<Kept>(bytes)
  if (kept.raw) return readWhole(kept.subject, kept.raw)
  const { subject, html, text } = kept
  const { outline, large } = await outlineMime({ ...kept, emailId }, createdAt)
  const { headers, attachments } = await readMime(outline, large.bytesOf)
  return {
    subject,
    html,
    text,
    links: await linksIn(html, text),
    headers,
    attachments,
    raw: Buffer.concat([...large.putInto(outline)]).toString("utf8"),
  }
}

/** Bytes that are not UTF-8 are shown as Latin-1. */
async function readWhole(subject: string, raw: Buffer) {
  const { html, text, ...shown } = await readMime(raw)
  return {
    subject,
    html,
    text,
    links: await linksIn(html, text),
    ...shown,
    raw: raw.toString(isUtf8(raw) ? "utf8" : "latin1"),
  }
}

async function readMime(raw: Buffer, sizeOf = (bytes: Buffer) => bytes.length) {
  const { readMessage } = await import("../../emails/raw/read-parts.ts")
  const { html, text, headers, files } = await readMessage(raw)
  return {
    html,
    text,
    headers: byName(headers),
    attachments: files.map(({ bytes, filename, contentType, contentId }) => ({
      filename,
      contentType,
      size: sizeOf(bytes),
      contentId,
    })),
  }
}

function byName(fields: readonly { name: string; value: string }[]): SandboxMessage["headers"] {
  const values = Map.groupBy(fields, ({ name }) => name.toLowerCase())
  return Object.fromEntries(
    [...values].map(([name, [first, ...more]]) => [
      name,
      more.length === 0 ? first!.value : [first!, ...more].map(({ value }) => value),
    ]),
  )
}

/** Of longer addresses, the expressions would fill the stack. */
const ATTRIBUTE = /\b(?:href|src)\s*=\s*(?:"([^"]{0,8192})"|'([^']{0,8192})'|([^\s"'>]{1,8192}))/gi
/** With brackets in pairs, but without punctuation behind it. */
const PLAIN_URL =
  /https?:\/\/(?:\([^\s<>"'()\]]{0,8192}\)|[^\s<>"'()\]]){0,8192}(?:\([^\s<>"'()\]]{0,8192}\)|[^\s<>"'()\].,;:!?])/gi

async function linksIn(html: string | null, text: string | null): Promise<string[]> {
  const { decodeHTMLAttribute } = await import("entities/decode")
  const links = new Set<string>()
  for (const [, double, single, bare] of firstMatches(html ?? "", ATTRIBUTE, MAX_LINKS)) {
    const url = decodeHTMLAttribute(double ?? single ?? bare ?? "")
    if (/^https?:/i.test(url)) links.add(url)
  }
  for (const [url] of firstMatches(text ?? "", PLAIN_URL, MAX_LINKS)) links.add(url)
  return [...links]
}
