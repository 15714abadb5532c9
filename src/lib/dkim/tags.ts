/** What may stand between the parts of a tag, line ends among them. */
const BLANKS = /[ \t\r\n]+/g

/**
 * The tags of a signature or a key record, by their case-sensitive names (RFC 6376, section 3.2).
 * Null if the text is no list of tags, or if one stands twice.
 */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>()
  for (const part of text.replace(BLANKS, " ").split(";")) {
    if (part === "" || part === " ") continue
    const [, name, value = ""] = /^ ?([a-z]\w*) ?=(.*)$/is.exec(part) ?? []
    if (name === undefined || tags.has(name)) return null
    tags.set(name, value.replace(/^ | $/g, ""))
  }
  return tags
}

export const withoutBlanks = (text: string) => text.replace(BLANKS, "")

/** The items of a list such as `h=from:to`, in lower case. */
export const listOf = (text: string) => withoutBlanks(text).toLowerCase().split(":")

/** Two texts never stand for the same bytes, so a changed signature is another one. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const plain = withoutBlanks(text)
  if (/[^\w+/=]/.test(plain)) return null
  try {
    return Uint8Array.fromBase64(plain, { lastChunkHandling: "strict" })
  } catch {
    return null
  }
}
