import { type Attributes, type HtmlReader, readHtml } from "./html-tokens.ts"
import { createTextWriter } from "./text-writer.ts"

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

/** All have more letters than the usual tags. */
const NOT_SHOWN = new Set(["title", "style", "script", "template", "textarea", "select", "iframe"])
const VOID = new Set(["img", "br", "hr", "input", "meta", "link", "wbr", "area", "base", "col"])
const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:max-height|opacity)\s*:\s*\+?(?:0+(?:\.0*)?|\.0+)(?![.\d]))/i

const ATTRIBUTES = new Set(["href", "alt", "style", "hidden", "start"])
const MAX_LABEL_LENGTH = 4_096

/** The plain text of html. The address of a link follows its text in brackets. */
export function htmlToText(html: string): string {
  const { reader, text } = createTextReader()
  readHtml(html, reader)
  return text()
}

/** `text` answers the plain text of the html that `reader` has read. */
export function createTextReader() {
  const writer = createTextWriter()
  const links = createLinks(writer)
  return {
    reader: withoutHidden(writeShown(writer, links)),
    text() {
      links.end()
      return writer.text()
    },
  }
}

type Writer = ReturnType<typeof createTextWriter>
type Links = ReturnType<typeof createLinks>

function createLinks(writer: Writer) {
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

interface ShownTag {
  /** The line ends before and after it. */
  lines: number
  open?(attributes: Attributes): void
  close?(): void
}

function writeShown(writer: Writer, links: Links): Required<HtmlReader> {
  let pres = 0
  const write = (text: string) => {
    links.addToLabel(text)
    if (pres > 0) writer.writeLines(text)
    else writer.write(text)
  }
  const tags = new Map<string, ShownTag>([...BLOCKS].map(([tag, lines]) => [tag, { lines }]))
  const add = (tag: string, handlers: Omit<ShownTag, "lines">) =>
    tags.set(tag, { lines: BLOCKS.get(tag) ?? 0, ...handlers })
  add("a", { open: (attributes) => links.start(attributes.get("href")?.value), close: links.end })
  add("br", { open: writer.breakLine })
  add("img", { open: (attributes) => write(attributes.get("alt")?.value ?? "") })
  add("td", { open: writer.startCell })
  add("th", { open: writer.startCell })
  add("pre", {
    open() {
      pres++
    },
    close() {
      pres = Math.max(0, pres - 1)
    },
  })
  add("ul", { open: () => writer.startList(null), close: writer.endList })
  add("ol", { open: (attributes) => writer.startList(firstOf(attributes)), close: writer.endList })
  add("li", { open: writer.startItem })
  add("hr", { open: writer.writeRule })
  return {
    attributes: ATTRIBUTES,
    open(name, attributes) {
      const tag = tags.get(name)
      if (!tag) return
      writer.endLines(tag.lines)
      tag.open?.(attributes)
    },
    close(name) {
      const tag = tags.get(name)
      if (!tag) return
      tag.close?.()
      writer.endLines(tag.lines)
    },
    text: write,
  }
}

/** Larger numbers would take more time. */
const MAX_FIRST = 1e9

function firstOf(attributes: Attributes): number {
  const first = Number.parseInt(attributes.get("start")?.value ?? "1", 10)
  return (Math.abs(first) <= MAX_FIRST && first) || 1
}

/**
 * Passes on visible parts. A hidden element ends when all its nested tags of the name are closed.
 */
function withoutHidden(reader: Required<HtmlReader>): Required<HtmlReader> {
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
  (tag.length > 4 && NOT_SHOWN.has(tag)) || (attributes.size > 0 && areHiding(attributes))

function areHiding(attributes: Attributes): boolean {
  const style = attributes.get("style")
  return attributes.has("hidden") || (style !== undefined && HIDING_STYLE.test(style.value))
}

/** A web address, a mail address or a telephone number; empty for other links. */
function addressOf(href: string | undefined): string {
  if (!href) return ""
  const address = href.trim().replace(/[\r\n\t]/g, "")
  if (WEB.test(address)) return address
  if (!/^(?:mailto|tel):/i.test(address)) return ""
  const query = address.indexOf("?")
  return address.slice(address.indexOf(":") + 1, query === -1 ? undefined : query)
}

const WEB = /^https?:\/\//i

/** An address as people write it. */
function bare(address: string): string {
  const trimmed = address.trim()
  const from = WEB.test(trimmed) ? trimmed.indexOf("//") + 2 : 0
  return trimmed.slice(from, trimmed.endsWith("/") ? -1 : undefined)
}
