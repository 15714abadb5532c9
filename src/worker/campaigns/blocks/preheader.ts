import type { Block } from "./contract.ts"
import { BRACED, isPreferencesUrl } from "./merge.ts"
import { decodeEntities, type RichToken, richTokens } from "./rich-text.ts"

export const PREHEADER_CHARACTERS = 140
const WORTH_ENDING_EARLY = 100

/** The preview beside the subject: the start of the first text, else of the first heading. */
export function preheaderOf(blocks: readonly Block[]): string {
  const flat = blocks.flatMap((block) => (block.kind === "columns" ? block.columns.flat() : block))
  const texts = flat.flatMap((block) => (block.kind === "text" ? plainText(block.html) : []))
  const headings = flat.flatMap((block) => (block.kind === "heading" ? block.text : []))
  return [...texts, ...headings].map((text) => shortened(withoutUrls(text))).find(Boolean) ?? ""
}

/** A URL tells a reader nothing. A merge field may be part of it, or all of it. */
const withoutUrls = (text: string) =>
  text
    .split(BRACED)
    .map((piece, index) => (index % 2 === 1 && isPreferencesUrl(piece) ? "" : piece))
    .join("")
    .replace(URL_IN_TEXT, "")
    .replace(/ ?(\(\s*\)|\[\s*\]|<\s*>)/g, "")

const URL_IN_TEXT = /(?:\b(?:https?|ftp):\/\/|\bwww\.)(?:\{\{[^{}]*\}\}|[^\s<>"()[\]{}])+/gi

const plainText = (html: string) =>
  richTokens(html)
    .map((token) =>
      token.kind === "text" ? decodeEntities(token.html) : startsLine(token) ? " " : "",
    )
    .join("")

const startsLine = (token: RichToken) =>
  token.kind === "br" || (token.kind === "open" && token.tag === "li")

/** Ends after a whole word if the last one is short enough. A merge field belongs to its word. */
function shortened(text: string): string {
  let short = ""
  for (const word of text.match(new RegExp(`(?:${BRACED.source}|\\S)+`, "g")) ?? []) {
    const longer = short === "" ? word : `${short} ${word}`
    if (longer.length > PREHEADER_CHARACTERS) {
      return `${short.length < WORTH_ENDING_EARLY ? cut(longer) : short}…`
    }
    short = longer
  }
  return short
}

function cut(text: string): string {
  let short = ""
  for (const letter of letters(text)) {
    if (short.length + letter.length > PREHEADER_CHARACTERS) break
    short += letter
  }
  return short.trimEnd()
}

const graphemes = new Intl.Segmenter()

function* letters(text: string) {
  for (const [index, part] of text.split(BRACED).entries()) {
    if (index % 2 === 1) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}
