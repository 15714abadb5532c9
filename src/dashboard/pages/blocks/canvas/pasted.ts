import { escapeHtml } from "../../../../lib/html.ts"

interface Line {
  kind: "line" | "ul" | "ol"
  html: string
}

interface Marks {
  bold: boolean
  italic: boolean
  href: string | null
}

const HEADING = /^H[1-6]$/
const BLOCK = /^(P|DIV|H[1-6]|TR|LI|UL|OL|TABLE|BLOCKQUOTE|PRE|SECTION|ARTICLE|HR|DT|DD)$/
const SKIPPED = new Set(["HEAD", "STYLE", "SCRIPT", "TITLE", "TEMPLATE"])
const WEIGHT = /(?:^|;)\s*font-weight:\s*(\w+)/i
const SLANT = /(?:^|;)\s*font-style:\s*(\w+)/i
const CELLS_BETWEEN = " | "

/**
 * Pasted html as lines and lists with bold, italic and links, which a text block can hold. Word and
 * Google Docs write most of it into `style`, which the page's content policy keeps from the editor.
 */
export function toBlockText(html: string): string {
  const { body } = new DOMParser().parseFromString(html, "text/html")
  const lines = readLines(body)
  let written = ""
  for (const [index, { kind, html }] of lines.entries()) {
    const [before, after] = [lines[index - 1]?.kind, lines[index + 1]?.kind]
    if (kind === "line") written += before === "line" ? `<br>${html}` : html
    else {
      if (before !== kind) written += `<${kind}>`
      written += `<li>${html}</li>`
      if (after !== kind) written += `</${kind}>`
    }
  }
  return written
}

function readLines(body: Element): Line[] {
  const lines: Line[] = []
  let line: Line = { kind: "line", html: "" }

  function endLine(next: Line["kind"] = "line") {
    const html = line.html.trim()
    if (html !== "") lines.push({ ...line, html })
    line = { kind: next, html: "" }
  }

  function breakLine() {
    const isEmpty = line.html.trim() === ""
    if (isEmpty && line.kind === "line" && lines.length > 0) lines.push(line)
    endLine(line.kind)
  }

  function readElement(element: Element, outside: Marks) {
    const style = element.getAttribute("style") ?? ""
    if (SKIPPED.has(element.tagName) || isHidden(style)) return
    if (element.tagName === "BR") return breakLine()
    if (element.matches("td, th") && line.html.trim() !== "") line.html += CELLS_BETWEEN
    const isBlock = BLOCK.test(element.tagName) && !isInRow(element)
    if (isBlock) endLine(kindOf(element, style))
    for (const child of element.childNodes) read(child, marksOf(element, style, outside))
    if (isBlock) endLine()
  }

  function read(node: Node, marks: Marks) {
    if (node instanceof Element) readElement(node, marks)
    else if (node.nodeType === Node.TEXT_NODE) {
      const text = (node.nodeValue ?? "").replace(/[ \t\r\n]+/g, " ")
      line.html += text.trim() === "" ? text : marked(escapeHtml(text), marks)
    }
  }

  read(body, { bold: false, italic: false, href: null })
  endLine()
  while (lines.at(-1)?.html.trim() === "") lines.pop()
  return lines
}

/** A row of several cells is one line. Mail clients write a message into a row of one cell. */
const isInRow = (element: Element) =>
  element.matches("td *, th *") && (element.closest("tr")?.cells.length ?? 0) > 1

/** Word has no lists in its html, but paragraphs that look like items. */
function kindOf(element: Element, style: string): Line["kind"] {
  const item = element.closest("li")
  if (item) return item.closest("ul, ol")?.tagName === "OL" ? "ol" : "ul"
  if (!/mso-list:\s*(?!ignore)\w/i.test(style)) return "line"
  const marker = [...element.querySelectorAll("[style]")].find((one) =>
    /mso-list:\s*ignore/i.test(one.getAttribute("style") ?? ""),
  )
  return /^\s*\w+[.)]/.test(marker?.textContent ?? "") ? "ol" : "ul"
}

const isHidden = (style: string) =>
  /display:\s*none|mso-hide:\s*all|mso-list:\s*ignore/i.test(style)

function marksOf(element: Element, style: string, outside: Marks): Marks {
  const { tagName } = element
  if (HEADING.test(tagName)) return { ...outside, bold: true }
  const weight = WEIGHT.exec(style)?.[1]
  const isInHeading = element.closest("h1, h2, h3, h4, h5, h6") !== null
  const italic = SLANT.exec(style)?.[1]
  return {
    bold:
      isInHeading || (weight ? isBold(weight) : outside.bold || /^(B|STRONG|TH)$/.test(tagName)),
    italic: italic ? italic !== "normal" : outside.italic || /^(I|EM)$/.test(tagName),
    href: tagName === "A" ? linkOf(element) : outside.href,
  }
}

const isBold = (weight: string) => /^bold/i.test(weight) || Number(weight) >= 600

/** A text block takes these links. Of others the text stays. */
const linkOf = (element: Element) => {
  const href = element.getAttribute("href")?.trim() ?? ""
  return /^(https?:\/\/|mailto:)\S+$/i.test(href) ? href : null
}

const marked = (html: string, { bold, italic, href }: Marks) => {
  const inItalic = italic ? `<em>${html}</em>` : html
  const inBold = bold ? `<strong>${inItalic}</strong>` : inItalic
  return href === null ? inBold : `<a href="${escapeHtml(href)}">${inBold}</a>`
}
