import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/time.ts"

export const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-")

const UNITS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", 1_000],
] as const

/** 7,200,000 becomes "2 hours". Days are used for two or more. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(
    ([, one]) => ms % one === 0 && ms > (one > HOUR_MS ? one : 0),
  ) ?? ["ms", 1]
  const count = ms / size
  return `${count.toLocaleString("en")} ${unit}${count === 1 || unit === "ms" ? "" : "s"}`
}

export const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ")

export const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
