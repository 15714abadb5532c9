import { useQuery } from "@tanstack/react-query"
import type { SandboxMessage } from "../../../client/types.ts"
import { loadCode } from "../../app/load-code.ts"

export interface File {
  filename: string
  contentType: string
  contentId: string | null
  bytes: Uint8Array<ArrayBuffer>
}

/** The attachments, read from the message as a mail client reads it. */
export const useFiles = ({ emailId, raw, attachments }: SandboxMessage) =>
  useQuery({
    queryKey: ["inbox-message", emailId, "files"],
    queryFn: () => readFiles(raw),
    enabled: attachments.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })

async function readFiles(raw: string): Promise<File[]> {
  const { default: PostalMime } = await loadCode(() => import("postal-mime"))
  const { attachments } = await PostalMime.parse(raw, { forceRfc822Attachments: true })
  return attachments.map(({ filename, mimeType, contentId, content }) => ({
    filename: filename ?? "unnamed",
    contentType: mimeType,
    contentId: contentId?.replace(/^<|>$/g, "") ?? null,
    bytes:
      typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
  }))
}

/** Puts the images of the message itself in the place of their `cid:` addresses. */
export function withImages(html: string, files: readonly File[] | undefined): string {
  const inline = files?.filter(({ contentType }) => contentType.startsWith("image/")) ?? []
  return inline.reduce(
    (text, { contentId, contentType, bytes }) =>
      contentId
        ? text.replaceAll(`cid:${contentId}`, () => `data:${contentType};base64,${toBase64(bytes)}`)
        : text,
    html,
  )
}

const CHUNK = 0x8000

function toBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return btoa(text)
}

const BLOCKS = "p, div, td, th, li, h1, h2, h3, h4, h5, h6, tr, pre, code"

/**
 * The words and the links of a message's HTML. Nothing in a template runs or loads, but a style in
 * its markup is reported as a breach of the content security policy.
 */
export function readHtml(html: string) {
  const template = document.createElement("template")
  template.innerHTML = html.replace(/\sstyle\s*=/gi, " data-style=")
  const page = template.content
  for (const element of page.querySelectorAll("style, script, title")) element.remove()
  const links = [...page.querySelectorAll("a[href]")].flatMap((link) => {
    const href = link.getAttribute("href") ?? ""
    return /^https?:/i.test(href) ? { href, label: (link.textContent ?? "").trim() } : []
  })
  for (const block of page.querySelectorAll(BLOCKS)) block.append("\n")
  for (const line of page.querySelectorAll("br")) line.replaceWith("\n")
  return {
    links: [...new Map(links.map((link) => [link.href, link])).values()],
    text: page.textContent ?? "",
  }
}
