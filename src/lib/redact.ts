import { domainToUnicode } from "node:url"

/**
 * Replaces an address in all texts of a JSON value, in any case, percent-encoded once or more, or
 * with its domain in Unicode. Next to a letter or digit, the text is part of another address and
 * stays.
 */
export function redactor(address: string, replacement: string) {
  const pattern = new RegExp(
    `(?:(?<![a-z0-9])|(?<=${ENCODED_DELIMITER}))(?:${spellingsOf(address).join("|")})(?![a-z0-9])`,
    "giu",
  )
  const redact = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(pattern, () => replacement)
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner)]))
  }
  return redact as <T>(value: T) => T
}

/**
 * The part of an address that all its spellings have in lower case: what stands before the `@`, up to
 * the first character that a URL may encode. A text without it does not name the address.
 */
export const commonPart = (address: string) => /^[a-z0-9._~-]*/.exec(address)?.[0] ?? ""

/** A percent-encoded character that is neither a letter nor a digit. It ends in a hex digit. */
const ENCODED_DELIMITER = "%(?:25){0,8}(?:[0-2][0-9a-f]|3[a-f]|40|5[b-f]|60|7[b-f])"

function spellingsOf(address: string): string[] {
  const at = address.lastIndexOf("@")
  const unicode = `${address.slice(0, at)}@${domainToUnicode(address.slice(at + 1))}`
  return [...new Set([address, unicode])].map((spelling) =>
    [...spelling].map(spellingsOfCharacter).join(""),
  )
}

function spellingsOfCharacter(character: string): string {
  const cases = new Set([character.toLowerCase(), character.toUpperCase()])
  const encoded = [...cases].map((one) =>
    [...Buffer.from(one)].map((byte) => `%(?:25)*${byte.toString(16)}`).join(""),
  )
  return `(?:${[character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"), ...encoded].join("|")})`
}
