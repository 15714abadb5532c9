import { decodeHTML } from "entities/decode"

/** A piece of a `text` block: text, or an allowed tag. */
export type RichToken =
  | { kind: "text"; html: string }
  | { kind: "br" }
  | { kind: "open"; tag: Tag }
  | { kind: "link"; href: string }
  | { kind: "close"; tag: Tag | "a" }

type Tag = "strong" | "em" | "ul" | "ol" | "li"

type RichText = { ok: true; tokens: RichToken[] } | { ok: false; message: string }

const TOKEN =
  /<(?<open>strong|em|ul|ol|li)>|<\/(?<close>strong|em|a|ul|ol|li)>|<br ?\/?>|<a href=(?:"(?<double>[^"<>]*)"|'(?<single>[^'<>]*)')>|(?<text>[^<]+)/iy

/**
 * Reads well-nested `<strong> <em> <br> <a href>`, and lists of them, only. Everything else is
 * refused, not repaired, so that every reader sees the same document.
 */
export function parseRichText(source: string): RichText {
  const tokens: RichToken[] = []
  const open: string[] = []
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(source)
    if (!match) return refused(`'${source.slice(at, at + 20)}' is not allowed: ${ALLOWED}`)
    at = TOKEN.lastIndex
    const token = toToken(match.groups ?? {})
    const misplaced = misplacedIn(open, token)
    if (misplaced) return refused(misplaced)
    if (isBetweenItems(open, token)) continue
    if (token.kind === "close" && open.pop() !== token.tag)
      return refused("Tags must be well nested")
    if (token.kind === "link" && open.includes("a")) return refused("A link may not hold a link")
    if (token.kind === "open") open.push(token.tag)
    if (token.kind === "link") open.push("a")
    tokens.push(token)
  }
  return open.length > 0 ? refused(`<${open.at(-1)}> is never closed`) : { ok: true, tokens }
}

const isList = (tag: string | undefined) => tag === "ul" || tag === "ol"

/** A list stands by itself and holds items alone. */
function misplacedIn(open: readonly string[], token: RichToken): string | null {
  const within = open.at(-1)
  const tag = token.kind === "open" ? token.tag : undefined
  if (isList(tag) && within !== undefined) return `<${tag}> may not stand in <${within}>`
  if (tag === "li" && !isList(within)) return "<li> may stand in <ul> and <ol> only"
  if (!isList(within) || tag === "li" || token.kind === "close") return null
  return isBetweenItems(open, token) ? null : `<${within}> may hold <li> only`
}

const isBetweenItems = (open: readonly string[], token: RichToken) =>
  isList(open.at(-1)) && token.kind === "text" && token.html.trim() === ""

/** The tokens of stored text, which is valid. */
export function richTokens(checked: string): RichToken[] {
  const parsed = parseRichText(checked)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.tokens
}

const ALLOWED =
  'use only <strong>, <em>, <br>, <a href="…">, <ul>, <ol> and <li>, and &lt; for a plain <'
const refused = (message: string): RichText => ({ ok: false, message })

function toToken({
  open,
  close,
  double,
  single,
  text,
}: Record<string, string | undefined>): RichToken {
  const href = double ?? single
  if (text !== undefined) return { kind: "text", html: text.replaceAll(">", "&gt;") }
  if (href !== undefined) return { kind: "link", href: decodeEntities(href) }
  if (open) return { kind: "open", tag: open.toLowerCase() as Tag }
  if (close) return { kind: "close", tag: close.toLowerCase() as Tag }
  return { kind: "br" }
}

/** Decodes character references. Unknown ones stay as they are. */
export const decodeEntities = (html: string): string =>
  html.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|[a-z][a-z0-9]*);/gi, (whole, decimal, hex) => {
    if (!decimal && !hex) return decodeHTML(whole)
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return isCharacter(code) ? String.fromCodePoint(code) : whole
  })

const isCharacter = (code: number) =>
  code >= 0x20 &&
  code <= 0x10ffff &&
  !(code >= 0x7f && code <= 0x9f) &&
  !(code >= 0xd800 && code <= 0xdfff)
