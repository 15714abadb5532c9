import { env } from "cloudflare:workers"

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export type Row = Record<string, any>

export const rows = async (query: string, ...values: unknown[]): Promise<Row[]> =>
  (
    await env.DB.prepare(query)
      .bind(...values)
      .all<Row>()
  ).results

/** Compares lists as bags. */
export function difference(actual: string[], expected: string[], tooMuch: string, missing: string) {
  const left = [...expected]
  const extra = actual.filter((one) => {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [...extra.map((one) => `${one} ${tooMuch}`), ...left.map((one) => `${one} ${missing}`)]
}
