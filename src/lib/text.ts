/** Not allowed in a line: such a character could end a header and start another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const ALL_CONTROLS = new RegExp(CONTROL_CHARACTERS, "g")

/** A text of somebody else as one line that every field takes. */
export const oneLine = (text: string): string =>
  text.replace(ALL_CONTROLS, " ").toWellFormed().trim()

/** Not allowed in any text: mail servers may refuse an email with these characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const NEVER_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** Greater than every text with the prefix: U+10FFFF is the last character of Unicode. */
export const endOfPrefix = (prefix: string) => `${prefix}\u{10ffff}`

/** At most `length` UTF-16 units, never half a character. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, "")

/** The first matches of a text. All of millions take a hundred times the memory of the text. */
export function* firstMatches(text: string, pattern: RegExp, most: number) {
  let left = most
  for (const match of text.matchAll(pattern)) {
    if (left-- === 0) return
    yield match
  }
}
