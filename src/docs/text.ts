import { html } from "hono/html"

/** An escaped piece of the page. */
export type Html = ReturnType<typeof html> | Html[] | ""

/** Prose: paragraphs and lists (`- `) with `code`, **strong** and [links](#there). */
export const prose = (text: string): Html =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const items = block.split(/^\s*- /m)
      return items.length > 1
        ? html`<ul>${items.slice(1).map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`
        : html`<p>${inline(block)}</p>`
    })

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/

export const inline = (text: string): Html =>
  text.split(INLINE).map((part, index) => (index % 2 ? marked(part) : html`${part}`))

function marked(part: string): Html {
  if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`
  if (part.startsWith("*")) return html`<strong>${part.slice(2, -2)}</strong>`
  const [label = "", href = ""] = part.slice(1, -1).split("](")
  return html`<a href="${href}">${inline(label)}</a>`
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${head.join(", ")}"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`

export const code = (text: string, label: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`

/** A heading with an anchor. */
export const heading = (level: 2 | 3, id: string, content: Html | string): Html =>
  level === 2
    ? html`<h2 id="${id}"><a href="#${id}">${content}</a></h2>`
    : html`<h3 id="${id}"><a href="#${id}">${content}</a></h3>`

export const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-")

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** 7,200,000 becomes "2 hours". Days are used for two or more. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(
    ([, one]) => ms % one === 0 && ms > (one > 3_600_000 ? one : 0),
  ) ?? ["ms", 1]
  const count = ms / size
  return `${count.toLocaleString("en")} ${unit}${count === 1 || unit === "ms" ? "" : "s"}`
}

export const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ")

export const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
