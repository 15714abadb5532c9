import { decodeHTMLAttribute } from "entities"
import { Tokenizer } from "htmlparser2"
import { nextTurn } from "./next-turn.ts"

export interface Attribute {
  value: string
  /** The end of the attribute's name in the html. */
  from: number
  /** The end of its value. */
  to: number
}
export type Attributes = ReadonlyMap<string, Attribute>

export interface HtmlReader {
  /** The attributes to read, in lower case. If a name is repeated, the first one counts. */
  attributes: ReadonlySet<string>
  open?(tag: string, attributes: Attributes): void
  /** `at` is where the closing tag begins. */
  close?(tag: string, at: number): void
  /** The text between two tags. */
  text?(text: string): void
}

/** Two readers as one, so that the html is read once. Only `one` gets the text. */
export function both(one: Required<HtmlReader>, other: Required<Omit<HtmlReader, "text">>) {
  const { open, close, text } = one
  const { open: openOther, close: closeOther } = other
  return {
    attributes: new Set([...one.attributes, ...other.attributes]),
    open(tag: string, attributes: Attributes) {
      open(tag, attributes)
      openOther(tag, attributes)
    },
    close(tag: string, at: number) {
      close(tag, at)
      closeOther(tag, at)
    },
    text,
  }
}

const NO_ATTRIBUTES: Attributes = new Map()
const ignore = () => {}

const NAME_SLOTS = 1024

/** The names in the html, in lower case. A name that was read before needs no new string. */
function createNames(html: string) {
  const written = Array<string>(NAME_SLOTS).fill("")
  const names = Array<string>(NAME_SLOTS).fill("")
  return (start: number, end: number): string => {
    const slot = ((html.charCodeAt(start) & 31) << 5) | (html.charCodeAt(end - 1) & 31)
    const known = written[slot] as string
    if (known.length !== end - start || !html.startsWith(known, start)) {
      const name = html.slice(start, end)
      written[slot] = name
      names[slot] = name.toLowerCase()
    }
    return names[slot] as string
  }
}

/** Each costs as much as many letters. Text with more of them keeps them as they are written. */
const MAX_ENTITIES = 200_000

/** Reads html like a browser, in one pass and without a tree. Tags are in lower case. */
export function readHtml(html: string, reader: HtmlReader): void {
  const tokenizer = createTokenizer(html, reader)
  tokenizer.write(html)
  tokenizer.end()
}

/** Html of this length takes some forty milliseconds if it is full of tags. Few emails are longer. */
const CHARACTERS_A_TURN = 256 * 1024

/** Like `readHtml`, but other calls have their turn between the parts of a large html. */
export async function readHtmlInTurns(html: string, reader: HtmlReader): Promise<void> {
  const tokenizer = createTokenizer(html, reader)
  for (let at = 0; at < html.length; at += CHARACTERS_A_TURN) {
    if (at > 0) await nextTurn()
    tokenizer.write(html.slice(at, at + CHARACTERS_A_TURN))
  }
  tokenizer.end()
}

function createTokenizer(html: string, reader: HtmlReader): Tokenizer {
  const mayHaveEntities = html.includes("&")
  const decodeEntities =
    mayHaveEntities && reader.text !== undefined && !hasMoreThan(MAX_ENTITIES, "&", html)
  const decoded = mayHaveEntities && !decodeEntities ? createDecoder() : (value: string) => value
  let text = ""
  /** Text that is not yet in `text`: the tokenizer may tell of one text in many pieces. */
  let [pieceFrom, pieceTo] = [0, 0]
  let tag = ""
  let attributes = new Map<string, Attribute>()
  let name: string | null = null
  let from = 0
  let value = ""
  const endPiece = () => {
    if (pieceFrom < pieceTo) text += html.slice(pieceFrom, pieceTo)
    pieceFrom = pieceTo
  }
  const endText = () => {
    endPiece()
    if (text !== "") reader.text?.(text)
    text = ""
  }
  const endTag = () => {
    reader.open?.(tag, attributes.size > 0 ? attributes : NO_ATTRIBUTES)
  }
  const nameAt = createNames(html)
  return new Tokenizer(
    { decodeEntities },
    {
      ontext(start, end) {
        if (!reader.text) return
        if (start !== pieceTo) {
          endPiece()
          pieceFrom = start
        }
        pieceTo = end
      },
      ontextentity(codePoint) {
        if (!reader.text) return
        endPiece()
        text += String.fromCodePoint(codePoint)
      },
      onopentagname(start, end) {
        endText()
        tag = nameAt(start, end)
        if (attributes.size > 0) attributes = new Map()
      },
      onattribname(start, end) {
        const found = nameAt(start, end)
        name = reader.attributes.has(found) && !attributes.has(found) ? found : null
        from = end
        value = ""
      },
      onattribdata(start, end) {
        if (name !== null) value += html.slice(start, end)
      },
      onattribentity(codePoint) {
        if (name !== null) value += String.fromCodePoint(codePoint)
      },
      onattribend(_quote, to) {
        if (name === null) return
        attributes.set(name, { value: decoded(value), from, to })
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(start, end) {
        endText()
        reader.close?.(nameAt(start, end), start - "</".length)
      },
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: endText,
    },
  )
}

function createDecoder() {
  let left = MAX_ENTITIES
  return (value: string) => {
    if (left < 0 || !value.includes("&")) return value
    left -= value.split("&").length - 1
    return left < 0 ? value : decodeHTMLAttribute(value)
  }
}

function hasMoreThan(count: number, character: string, text: string): boolean {
  let at = text.indexOf(character)
  for (let found = 0; at !== -1 && found < count; found++) at = text.indexOf(character, at + 1)
  return at !== -1
}
