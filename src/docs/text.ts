export const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-")

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const

/** 7,200,000 becomes "2 hours". Days are used for two or more. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(
    ([, one]) => ms % one === 0 && ms > (one > 3_600_000 ? one : 0),
  ) ?? ["ms", 1]
  const count = ms / size
  return `${count.toLocaleString("en")} ${unit}${count === 1 || unit === "ms" ? "" : "s"}`
}

export const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ")

export const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
