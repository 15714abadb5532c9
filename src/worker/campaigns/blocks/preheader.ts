import type { Block } from "./contract.ts"
import { decodeEntities, type RichToken, richTokens } from "./rich-text.ts"

export const PREHEADER_CHARACTERS = 140
const WORTH_ENDING_EARLY = 100

/** The preview beside the subject: the start of the first text, else of the first heading. */
export function preheaderOf(blocks: readonly Block[]): string {
  const flat = blocks.flatMap((block) => (block.kind === "columns" ? block.columns.flat() : block))
  const first =
    flat.find(({ kind }) => kind === "text") ?? flat.find(({ kind }) => kind === "heading")
  if (first?.kind === "heading") return shortened(first.text)
  return first?.kind === "text" ? shortened(plainText(first.html)) : ""
}

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
  for (const word of text.match(/(?:\{\{[^{}]*\}\}|\S)+/g) ?? []) {
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
  for (const [index, part] of text.split(/(\{\{[^{}]*\}\})/).entries()) {
    if (index % 2 === 1) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}
