import type { SandboxMessage } from "./contract.ts"

type Parsed = Omit<SandboxMessage, "emailId" | "envelope" | "createdAt">

/** Reads a message back as its recipient's mail program would. */
export async function parseMessage(raw: Buffer): Promise<Parsed> {
  const { default: PostalMime, decodeWords } = await import("postal-mime")
  const message = await PostalMime.parse(raw)
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
    links: linksIn(html, text),
    attachments: message.attachments.map(({ filename, mimeType, content, contentId }) => ({
      filename,
      contentType: mimeType,
      size: typeof content === "string" ? content.length : content.byteLength,
      contentId: contentId?.replace(/^<|>$/g, "") ?? null,
    })),
    raw: raw.toString("utf8"),
  }
}

function linksIn(html: string | null, text: string | null): string[] {
  const inHtml = [...(html ?? "").matchAll(/\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
    .map(([, double, single]) => (double ?? single ?? "").replaceAll("&amp;", "&"))
    .filter((url) => /^https?:/i.test(url))
  const inText = (text ?? "").match(/https?:\/\/[^\s<>"')\]]+/gi) ?? []
  return [...new Set([...inHtml, ...inText])]
}
