import { LOCALE } from "../time/locale.ts"

const format = (unit: string) =>
  new Intl.NumberFormat(LOCALE, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 0,
  })
const bytes = format("byte")
const kilobytes = format("kilobyte")
const megabytes = format("megabyte")
const gigabytes = format("gigabyte")

export function fileSize(size: number): string {
  if (size < 1_000) return bytes.format(size)
  if (size < 10_000_000) return kilobytes.format(size / 1_000)
  return size % 1_000_000_000 === 0
    ? gigabytes.format(size / 1_000_000_000)
    : megabytes.format(size / 1_000_000)
}
