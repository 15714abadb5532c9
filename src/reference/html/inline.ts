import { html } from "hono/html"

export type Html = ReturnType<typeof html> | Html[] | ""

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/

/** Markdown within a line: `code`, **strong** and [links](#there). */
export const inline = (text: string): Html =>
  text.split(INLINE).map((part, index) => (index % 2 ? marked(part) : html`${part}`))

function marked(part: string): Html {
  if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`
  if (part.startsWith("*")) return html`<strong>${part.slice(2, -2)}</strong>`
  const [label = "", href = ""] = part.slice(1, -1).split("](")
  return html`<a href="${href}">${inline(label)}</a>`
}

/** Paragraphs and lists (`- `). */
export const paragraphs = (text: string): Html =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const items = block.split(/^\s*- /m)
      return items.length > 1
        ? html`<ul>${items.slice(1).map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`
        : html`<p>${inline(block)}</p>`
    })
