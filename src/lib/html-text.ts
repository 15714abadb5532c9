import { type Attributes, type HtmlReader, readHtml } from "./html-tokens.ts"
import { openTextWriter } from "./text-writer.ts"

/** The line ends before and after each block. */
const BLOCKS = new Map([
  ...["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "dl", "hr"].map(
    (tag) => [tag, 2] as const,
  ),
  ...[
    ...["div", "tr", "li", "dt", "dd", "section", "article", "header", "footer", "main", "nav"],
    ...["aside", "address", "center", "form", "figure", "figcaption", "caption", "body"],
  ].map((tag) => [tag, 1] as const),
])

const NOT_SHOWN = new Set(["title", "style", "script", "template", "textarea", "select", "iframe"])
const VOID = new Set(["img", "br", "hr", "input", "meta", "link", "wbr", "area", "base", "col"])
const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0|opacity\s*:\s*0(?![.\d]))/i

const ATTRIBUTES = new Set(["href", "alt", "style", "hidden", "start"])
const MAX_LABEL_LENGTH = 4_096

/** Each costs as much as many letters. Text with more of them keeps them as they are written. */
const MAX_ENTITIES = 200_000

/** The plain text of html. The address of a link follows its text in brackets. */
export function htmlToText(html: string): string {
  const writer = openTextWriter()
  const links = openLinks(writer)
  const decodeEntities = !hasMoreThan(MAX_ENTITIES, "&", html)
  readHtml(html, withoutHidden(writeShown(writer, links)), decodeEntities)
  links.end()
  return writer.text()
}

type Writer = ReturnType<typeof openTextWriter>
type Links = ReturnType<typeof openLinks>

function openLinks(writer: Writer) {
  let link: { address: string; label: string } | null = null
  function end() {
    if (!link) return
    const { address, label } = link
    link = null
    if (label.trim() === "") writer.write(address)
    else if (bare(label) !== bare(address)) writer.append(` (${address})`)
  }
  return {
    end,
    start(href: string | undefined) {
      end()
      const address = addressOf(href)
      link = address === "" ? null : { address, label: "" }
    },
    addToLabel(text: string) {
      if (link && link.label.length < MAX_LABEL_LENGTH) link.label += text
    },
  }
}

function writeShown(writer: Writer, links: Links): Required<HtmlReader> {
  let pres = 0
  const write = (text: string) => {
    links.addToLabel(text)
    if (pres > 0) writer.writeLines(text)
    else writer.write(text)
  }
  const endBlock = (tag: string) => writer.endLines(BLOCKS.get(tag) ?? 0)
  return {
    attributes: ATTRIBUTES,
    open(tag, attributes) {
      const read = (name: string) => attributes.get(name)?.value
      endBlock(tag)
      if (tag === "a") links.start(read("href"))
      else if (tag === "br") writer.breakLine()
      else if (tag === "img") write(read("alt") ?? "")
      else if (tag === "td" || tag === "th") writer.startCell()
      else if (tag === "pre") pres++
      else if (tag === "ul") writer.startList(null)
      else if (tag === "ol") writer.startList(Number.parseInt(read("start") ?? "1", 10) || 1)
      else if (tag === "li") writer.startItem()
      else if (tag === "hr") {
        writer.write("---")
        endBlock(tag)
      }
    },
    close(tag) {
      if (tag === "a") links.end()
      if (tag === "pre") pres = Math.max(0, pres - 1)
      if (tag === "ul" || tag === "ol") writer.endList()
      endBlock(tag)
    },
    text: write,
  }
}

/**
 * Passes on visible parts. A hidden element ends when all its nested tags of the name are closed.
 */
function withoutHidden(reader: Required<HtmlReader>): HtmlReader {
  let hidden: { tag: string; depth: number } | null = null
  return {
    attributes: reader.attributes,
    open(tag, attributes) {
      // A paragraph cannot contain another: the next one ends it.
      if (hidden?.tag === "p" && tag === "p") hidden = null
      if (hidden) {
        if (hidden.tag === tag) hidden.depth++
      } else if (isHidden(tag, attributes)) {
        if (!VOID.has(tag)) hidden = { tag, depth: 1 }
      } else reader.open(tag, attributes)
    },
    close(tag, at) {
      if (!hidden) reader.close(tag, at)
      else if (hidden.tag === tag && --hidden.depth === 0) hidden = null
    },
    text(text) {
      if (!hidden) reader.text(text)
    },
  }
}

const isHidden = (tag: string, attributes: Attributes) =>
  NOT_SHOWN.has(tag) || (attributes.size > 0 && areHiding(attributes))

const areHiding = (attributes: Attributes) =>
  attributes.has("hidden") || HIDING_STYLE.test(attributes.get("style")?.value ?? "")

/** A web address, a mail address or a telephone number; empty for other links. */
function addressOf(href: string | undefined): string {
  if (!href) return ""
  const address = href.trim().replace(/[\r\n\t]/g, "")
  if (/^https?:\/\//i.test(address)) return address
  return /^(?:mailto|tel):([^?]*)/i.exec(address)?.[1] ?? ""
}

const bare = (address: string) =>
  address
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/\/$/, "")

function hasMoreThan(count: number, character: string, text: string): boolean {
  let at = text.indexOf(character)
  for (let found = 0; at !== -1 && found < count; found++) at = text.indexOf(character, at + 1)
  return at !== -1
}
