import { htmlToText } from "../../../lib/html-text.ts"
import type { Sender } from "../../teams/contract.ts"
import type { Block } from "./contract.ts"
import {
  BRACED,
  inText,
  inTextOfHtml,
  inTextUrl,
  isPreferencesUrl,
  literalText,
  UNSUBSCRIBE_URL,
} from "./merge.ts"
import { richTokens } from "./rich-text.ts"

/** The plain-text part, with its merge fields. Without a sender it has no footer. */
export function renderText(blocks: readonly Block[], sender: Sender | null): string {
  const paragraphs = blocks.map(renderBlock).filter((paragraph) => paragraph !== "")
  const body = paragraphs.join("\n\n")
  return sender ? `${body}\n\n--\n${renderFooter(sender)}\n` : body
}

function renderFooter({ name, postalAddress }: Sender): string {
  const sender = [name, ...(postalAddress ? [postalAddress] : [])].map(literalText)
  return [...sender, `Unsubscribe: ${UNSUBSCRIBE_URL.text}`].join("\n")
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case "heading":
      return inText(block.text)
    case "text":
      return richTextToText(block.html)
    case "button":
      return `${inText(block.label)}: ${inTextUrl(block.url)}`
    case "image":
      return [inText(block.alt), block.href && inTextUrl(block.href)].filter(Boolean).join(": ")
    case "html":
      return inText(block.text ?? textOfHtml(block.html))
    case "divider":
      return "----------"
    case "spacer":
      return ""
    case "columns":
      return block.columns.flat().map(renderBlock).filter(Boolean).join("\n\n")
  }
}

/** A link's address follows its text, unless both are the same. An item begins a line. */
function richTextToText(html: string): string {
  let text = ""
  let link = { href: "", from: 0 }
  let nextNumber: number | null = null
  const startLine = () => {
    if (text !== "" && !text.endsWith("\n")) text += "\n"
  }
  for (const token of richTokens(html)) {
    if (token.kind === "text") text += inTextOfHtml(token.html)
    if (token.kind === "br") text += "\n"
    if (token.kind === "link") link = { href: inTextUrl(token.href), from: text.length }
    if (token.kind === "close" && token.tag === "a" && text.slice(link.from) !== link.href) {
      text += ` (${link.href})`
    }
    if (token.kind === "open" && token.tag === "ul") nextNumber = null
    if (token.kind === "open" && token.tag === "ol") nextNumber = 1
    if (token.kind === "open" && token.tag === "li") {
      startLine()
      text += nextNumber === null ? "- " : `${nextNumber++}. `
    }
    if (token.kind === "close" && (token.tag === "ul" || token.tag === "ol")) startLine()
  }
  return text
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim()
}

const PREFERENCES = "https://preferences.invalid/"

/** The plain text, with its merge fields: one that is a whole link stays one. */
const textOfHtml = (html: string): string =>
  htmlToText(
    html.replace(new RegExp(BRACED, "g"), (braced) =>
      isPreferencesUrl(braced) ? PREFERENCES : braced,
    ),
  ).replaceAll(PREFERENCES, "{{ preferencesUrl }}")
