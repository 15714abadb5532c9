/** What no line may hold: a header could end there, and another begin. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** What no text of several lines may hold either: a mail with them may be refused on its way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const NEVER_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** At most `length` UTF-16 units, never half a character. */
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, "")
