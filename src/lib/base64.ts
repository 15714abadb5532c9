/**
 * Converts base64 to its standard form: padded, on one line. Reads standard and URL-safe base64,
 * with or without padding and line breaks; null for anything else.
 */
export function toBase64(text: string): string | null {
  if (text !== "" && Buffer.from(text, "base64").toString("base64") === text) return text
  const line = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, "") : text
  const end = line.endsWith("==") ? line.length - 2 : line.length - Number(line.endsWith("="))
  const isPadded = end < line.length
  if (end % 4 === 1 || (isPadded && line.length % 4 !== 0) || end === 0) return null
  const digits = line.slice(0, end)
  if (/[^A-Za-z0-9+/]/.test(digits)) {
    if (/[^A-Za-z0-9_-]/.test(digits)) return null
    return toBase64(digits.replaceAll("-", "+").replaceAll("_", "/"))
  }
  return isPadded || end % 4 === 0 ? line : line.padEnd(Math.ceil(end / 4) * 4, "=")
}
