const [STANDARD, URL_SAFE, BOTH, PADDING, LINE_BREAK] = [1, 2, 4, 8, 16]

/** What each character may be; all others are no base64. */
const KINDS = new Uint8Array(0x10000)
const sayKind = (characters: string, kind: number) => {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind
}
sayKind("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", BOTH)
sayKind("+/", STANDARD)
sayKind("-_", URL_SAFE)
sayKind("=", PADDING)
sayKind("\r\n", LINE_BREAK)

/**
 * Converts base64 to its standard form: padded, on one line. Reads standard and URL-safe base64,
 * with or without padding and line breaks; null for anything else.
 */
export function toBase64(text: string): string | null {
  const standard = Buffer.from(text, "base64").toString("base64")
  if (text !== "" && standard === text) return text
  return isBase64(text) ? standard : null
}

function isBase64(text: string): boolean {
  let [digits, padding, found] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)] as number
    if (kind === 0) return false
    found |= kind
    if (kind === PADDING) padding++
    else if (kind !== LINE_BREAK) {
      if (padding > 0) return false
      digits++
    }
  }
  const isMixed = (found & STANDARD) !== 0 && (found & URL_SAFE) !== 0
  const isWhole = padding === 0 ? digits % 4 !== 1 : padding <= 2 && (digits + padding) % 4 === 0
  return digits > 0 && isWhole && !isMixed
}
