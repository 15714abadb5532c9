import type { SandboxMessage } from "../../sandbox/contract.ts"
import type { OutgoingMessage } from "../provider.ts"

/** A message as it is stored: its parts as they were sent, and the MIME made from them. */
interface Packed extends Pick<OutgoingMessage, "subject" | "html" | "text"> {
  /** One character per byte. */
  raw: string
}

export const packMessage = ({ subject, html, text }: OutgoingMessage, raw: Buffer): string =>
  JSON.stringify({ subject, html, text, raw: raw.toString("latin1") } satisfies Packed)

/** Headers and attachments are read from the MIME, as a mail program reads them. */
export async function unpackMessage(
  packed: Buffer,
): Promise<Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">> {
  const { subject, html, text, raw } = JSON.parse(packed.toString("utf8")) as Packed
  const bytes = Buffer.from(raw, "latin1")
  return {
    subject,
    html,
    text,
    links: await linksIn(html, text),
    ...(await readMime(bytes)),
    raw: bytes.toString("utf8"),
  }
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
