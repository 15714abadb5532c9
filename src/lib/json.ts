/** Undefined if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Equal values give equal text: keys are sorted, `undefined` is left out. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))

/** A sorted copy: `JSON.stringify` takes much longer with a replacer. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([key, inner]) => [key, sorted(inner)]))
}

/**
 * The rows as JSON arrays of at most `maxLength` characters; a larger row has an array of its own.
 * D1 binds 100 parameters a statement and 2 MB a value; `json_each` turns a value into a table.
 */
export function jsonChunks(rows: readonly unknown[], maxLength = 500_000): string[] {
  const chunks: string[] = []
  let parts: string[] = []
  let length = 0
  for (const row of rows) {
    const part = JSON.stringify(row)
    if (length + part.length > maxLength && parts.length > 0) {
      chunks.push(`[${parts.join(",")}]`)
      parts = []
      length = 0
    }
    parts.push(part)
    length += part.length + 1
  }
  if (parts.length > 0) chunks.push(`[${parts.join(",")}]`)
  return chunks
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
