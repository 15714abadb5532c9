const TIME = /^(\d{1,2})(?:[:.]?([0-5]\d))?\s*(?:([ap])\.?m\.?)?$/i

/** "9:30", "930" and "9:30 am" are "09:30", "5 pm" is "17:00". Undefined for a text that is no time. */
export function readTime(text: string): string | undefined {
  const [, digits = "", minutes = "00", half] = TIME.exec(text.trim()) ?? []
  const typed = Number(digits || Number.NaN)
  const isHour = half ? typed >= 1 && typed <= 12 : typed <= 23
  if (!isHour) return undefined
  const hours = half ? (typed % 12) + (half.toLowerCase() === "p" ? 12 : 0) : typed
  return `${String(hours).padStart(2, "0")}:${minutes}`
}
