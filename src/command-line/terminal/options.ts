import { UsageError } from "./failure.ts"

/** For an option that may be given several times. */
export const repeated = (value: string, before: string[] = []) => [...before, value]

/** The pairs of texts such as `name=value`. */
export const toPairs = (
  texts: readonly string[],
  separator: string,
  option: string,
): [name: string, value: string][] =>
  texts.map((text) => {
    const at = text.indexOf(separator)
    if (at < 1) throw new UsageError(`${option} needs name${separator}value, not "${text}".`)
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  })

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90m` is the time 90 minutes ago. The API reads any other text. */
export function toTime(text: string): string {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return count ? new Date(Date.now() - Number(count) * UNITS_MS[unit]!).toISOString() : text
}
