import { type Attributes, readHtml } from "./html-tokens.ts"
import { openTextWriter } from "./text-writer.ts"

/** Line ends before and after. */
const BLOCKS: Record<string, number> = Object.fromEntries([
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "dl", "hr"].map(
    (tag) => [tag, 2],
  ),
  ...[
    ...["div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "main", "nav"],
    ...["aside", "address", "center", "form", "figure", "figcaption", "caption", "body"],
  ].map((tag) => [tag, 1]),
])

const NOT_SHOWN = new Set(["title", "style", "script", "template", "textarea", "select", "iframe"])
const VOID = new Set(["img", "br", "hr", "input", "meta", "link", "wbr", "area", "base", "col"])
const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0|opacity\s*:\s*0(?![.\d]))/i

const ATTRIBUTES = new Set(["href", "alt", "style", "hidden", "start"])
const MAX_LISTS = 100
const MAX_LABEL_LENGTH = 4_096

/** Plain text that says the same as the html: links have their address in brackets behind them. */
export function htmlToText(html: string): string {
  const writer = openTextWriter()
  /** The number of the next item of each list around; null where items have no number. */
  const lists: (number | null)[] = []
  let hidden: { tag: string; depth: number } | null = null
  let link: { address: string; label: string } | null = null
  let pres = 0

  function write(text: string) {
    if (link && link.label.length < MAX_LABEL_LENGTH) link.label += text
    if (pres > 0) writer.writeLines(text)
    else writer.write(text)
  }

  function endLink() {
    if (!link) return
    const { address, label } = link
    link = null
    if (label.trim() === "") writer.write(address)
    else if (bare(label) !== bare(address)) writer.append(` (${address})`)
  }

  function endBlock(tag: string) {
    const lineEnds = BLOCKS[tag]
    if (lineEnds !== undefined) writer.endLines(lineEnds)
  }

  function openList(number: number | null) {
    writer.endLines(lists.length > 0 ? 1 : 2)
    if (lists.length < MAX_LISTS) lists.push(number)
    writer.setDepth(lists.length)
  }

  function closeList() {
    lists.pop()
    writer.setDepth(lists.length)
    writer.endLines(lists.length > 0 ? 1 : 2)
  }

  function openItem() {
    const number = lists.at(-1) ?? null
    writer.startItem(number === null ? "- " : `${number}. `)
    if (number !== null) lists[lists.length - 1] = number + 1
  }

  function open(tag: string, attributes: Attributes) {
    endBlock(tag)
    if (tag === "a") {
      endLink()
      const address = addressOf(attributes.get("href")?.value)
      link = address === "" ? null : { address, label: "" }
    } else if (tag === "br") writer.breakLine()
    else if (tag === "hr") {
      writer.write("---")
      writer.endLines(2)
    } else if (tag === "img") write(attributes.get("alt")?.value ?? "")
    else if (tag === "td" || tag === "th") writer.startCell()
    else if (tag === "pre") pres++
    else if (tag === "ul") openList(null)
    else if (tag === "ol") openList(Number.parseInt(attributes.get("start")?.value ?? "1", 10) || 1)
    else if (tag === "li") openItem()
  }

  readHtml(html, {
    attributes: ATTRIBUTES,
    open(tag, attributes) {
      if (hidden?.tag === "p" && tag === "p") hidden = null
      if (hidden) {
        if (hidden.tag === tag) hidden.depth++
      } else if (isHidden(tag, attributes)) {
        if (!VOID.has(tag)) hidden = { tag, depth: 1 }
      } else open(tag, attributes)
    },
    close(tag) {
      if (hidden) {
        if (hidden.tag === tag && --hidden.depth === 0) hidden = null
        return
      }
      if (tag === "a") endLink()
      if (tag === "pre") pres = Math.max(0, pres - 1)
      if (tag === "ul" || tag === "ol") closeList()
      endBlock(tag)
    },
    text(text) {
      if (!hidden) write(text)
    },
  })
  endLink()
  return writer.text()
}

const isHidden = (tag: string, attributes: Attributes) =>
  NOT_SHOWN.has(tag) ||
  attributes.has("hidden") ||
  HIDING_STYLE.test(attributes.get("style")?.value ?? "")

/** What a reader can do something with: a web address, a mail address, a telephone number. */
function addressOf(href = ""): string {
  const address = href.trim().replace(/[\r\n\t]/g, "")
  if (/^https?:\/\//i.test(address)) return address
  return /^(?:mailto|tel):([^?]*)/i.exec(address)?.[1] ?? ""
}

const bare = (address: string) =>
  address
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/$/, "")
