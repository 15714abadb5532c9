import { LOCALE } from "./locale.ts"

const format = (unit: string) =>
  new Intl.NumberFormat(LOCALE, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 0,
  })
const bytes = format("byte")
const kilobytes = format("kilobyte")

export const fileSize = (size: number) =>
  size < 1_000 ? bytes.format(size) : kilobytes.format(size / 1_000)
