import { type Attributes, readHtml } from "../../../lib/html-tokens.ts"
import { isLink } from "./links.ts"
import { BRACED, indexOfField, inHtml, inUrl, literalHtml } from "./merge.ts"

const words = (text: string) => new Set(text.split(" "))

const TAGS = words(
  "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead tr tt u ul var wbr",
)
const VOID = words("br col hr img wbr")
/** Their content goes as well. */
const DROPPED = words(
  "applet audio canvas embed frameset iframe math noembed noframes noscript object script select style svg template textarea title video xmp",
)
const TABLE_PARTS = words("caption col colgroup tbody td tfoot th thead tr")
/** What is inside of one closes nothing outside. */
const SCOPES = words("table td th caption")
/** Each end is looked for among the open tags. Those inside of so many are left out, and their text stays. */
const MAX_DEPTH = 100

const LITERAL =
  "align aria-hidden aria-label bgcolor border cellpadding cellspacing class color colspan dir face height id lang name role rowspan size start style type valign width"
const WRITTEN = words("alt title")
const URLS = words("href src")
const ATTRIBUTES = words(`${LITERAL} alt title href src`)

interface Reader {
  open(tag: string, attributes: Attributes): void
  close(tag: string): void
  text(text: string): void
  css?(text: string): void
}

/** Reads what mail may show. Each tag is closed, and none closes one that is outside of the html. */
function readAllowed(html: string, { open, close, text, css }: Reader): void {
  const nested: string[] = []
  let dropped: { tag: string; depth: number } | null = null
  const scope = () => nested.findLast((tag) => tag === "table" || SCOPES.has(tag))

  function mayOpen(tag: string): boolean {
    if (TABLE_PARTS.has(tag)) return nested.includes("table")
    return tag !== "table" || scope() !== "table"
  }
  function closeUpTo(tag: string) {
    const at = nested.lastIndexOf(tag)
    const isPart = tag === "table" || TABLE_PARTS.has(tag)
    const isInside = isPart
      ? nested.lastIndexOf("table") <= at || tag === "table"
      : nested.findLastIndex((one) => SCOPES.has(one)) < at
    if (at === -1 || !isInside) return
    while (nested.length > at) close(nested.pop() as string)
  }

  readHtml(html, {
    attributes: ATTRIBUTES,
    open(name, attributes) {
      if (dropped) {
        if (dropped.tag === name) dropped.depth++
        return
      }
      if (DROPPED.has(name)) {
        dropped = { tag: name, depth: 1 }
        return
      }
      // Its color and font are those of the message.
      const tag = name === "body" ? "div" : name
      if (!TAGS.has(tag) || nested.length === MAX_DEPTH || !mayOpen(tag)) return
      open(tag, attributes)
      if (!VOID.has(tag)) nested.push(tag)
    },
    close(name) {
      if (dropped?.tag === name && --dropped.depth === 0) dropped = null
      else if (!dropped) closeUpTo(name === "body" ? "div" : name)
    },
    text(piece) {
      if (!dropped) text(piece)
      else if (dropped.tag === "style") css?.(piece)
    },
  })
  while (nested.length > 0) close(nested.pop() as string)
}

/** The html of an author as mail may show it, with its merge fields, and its style sheets. */
export function cleanHtml(html: string): { html: string; css: string } {
  let cleaned = ""
  let css = ""
  readAllowed(html, {
    open: (tag, attributes) => {
      cleaned += `<${tag}${[...attributes].map(([name, { value }]) => attribute(name, value)).join("")}>`
    },
    close: (tag) => {
      cleaned += `</${tag}>`
    },
    text: (text) => {
      cleaned += inHtml(text)
    },
    css: (text) => {
      css += `${cleanCss(text)}\n`
    },
  })
  return { html: cleaned, css: css.trim() }
}

function attribute(name: string, value: string): string {
  if (URLS.has(name)) {
    const url = toUrl(value)
    return isTarget(url, name) ? ` ${name}="${inUrl(url)}"` : ""
  }
  if (WRITTEN.has(name)) return ` ${name}="${inHtml(value)}"`
  return ` ${name}="${literalHtml(name === "style" ? cleanCss(value) : value)}"`
}

/** As browsers read it. A merge field may have blanks of its own. */
const toUrl = (value: string) =>
  value
    .trim()
    .split(BRACED)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(" ", "%20")))
    .join("")

const isTarget = (url: string, attribute: string) =>
  attribute === "src"
    ? isLink(url) && /^https?:/i.test(url)
    : isLink(url) || /^tel:(?:[\d+().-]|%20)+$/i.test(url) || /^#[\w-]+$/.test(url)

/** What loads another sheet, runs, or ends the element. Escapes could hide any of them. */
const cleanCss = (css: string) =>
  css
    .replace(/\/\*.*?(?:\*\/|$)/gs, "")
    .replace(/[<\\]|<!--|-->/g, "")
    // Without the space, what stands around a rule could become one.
    .replace(/@(?:import|charset|namespace)[^;]*;?/gi, " ")
    .replace(/(?:expression|javascript|vbscript|behaviou?r|-moz-binding)\s*[:(]/gi, "none(")
    .replace(/url\((?!\s*(?:["']\s*)?https?:)[^)]*\)?/gi, "none")

/** Targets whose merge field stands where it may not. Mail would show them without a link or an image. */
export function lostTargetsOf(html: string): string[] {
  const lost: string[] = []
  readAllowed(html, {
    open: (_, attributes) => {
      for (const [name, { value }] of attributes) {
        const isLost = URLS.has(name) && !isTarget(toUrl(value), name)
        if (isLost && indexOfField(value) !== -1) lost.push(value)
      }
    },
    close: () => {},
    text: () => {},
  })
  return lost
}

/** The texts and URLs that mail would show. */
export function textsOfHtml(html: string): string[] {
  const texts: string[] = []
  readAllowed(html, {
    open: (_, attributes) => {
      for (const [name, { value }] of attributes) {
        if (URLS.has(name) || WRITTEN.has(name)) texts.push(value)
      }
    },
    close: () => {},
    text: (text) => texts.push(text),
  })
  return texts
}
