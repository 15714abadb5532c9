/// <reference lib="esnext.typedarrays" />

/** Blanks that `fromBase64` passes over, and that are no line breaks. */
const BLANK = /[\t\f ]/

/**
 * Converts base64 to its standard form: padded, on one line. Reads standard and URL-safe base64,
 * with or without padding and line breaks; null for anything else.
 */
export function toBase64(text: string): string | null {
  const bytes = read(text, "base64") ?? read(text, "base64url")
  if (!bytes || bytes.length === 0) return null
  const standard = bytes.toBase64()
  if (standard === text) return text
  return BLANK.test(text) ? null : standard
}

function read(text: string, alphabet: "base64" | "base64url"): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(text, { alphabet })
  } catch {
    return null
  }
}
