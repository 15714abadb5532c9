import type { SandboxMessage } from "./contract.ts"

type Parsed = Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">

/** Reads a message back as its recipient's mail program would. */
export async function parseMessage(raw: Buffer): Promise<Parsed> {
  const { default: PostalMime, decodeWords } = await import("postal-mime")
  const message = await PostalMime.parse(raw, { forceRfc822Attachments: true })
  const headers: Parsed["headers"] = {}
  for (const { key, value } of message.headers) {
    const earlier = headers[key]
    const decoded = decodeWords(value)
    headers[key] = earlier === undefined ? decoded : [earlier, decoded].flat()
  }
  const html = message.html ?? null
  const text = message.text ?? null
  return {
    headers,
    subject: message.subject ?? "",
    html,
    text,
    links: await linksIn(html, text),
    attachments: message.attachments.map(({ filename, mimeType, content, contentId }) => ({
      filename,
      contentType: mimeType,
      size: typeof content === "string" ? content.length : content.byteLength,
      contentId: contentId?.replace(/^<|>$/g, "") ?? null,
    })),
    raw: raw.toString("utf8"),
  }
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
