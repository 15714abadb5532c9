export interface Range {
  since?: string
  until?: string
}

export const isDay = (text: string) =>
  /^2\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The day of a URL, or "" for a text that is none. */
export const dayOf = (text = "") => (isDay(text) ? text : "")

/** From the beginning of a day to the end of another one, in the person's own time zone. */
export const rangeOf = (from: string, to: string): Range => ({
  ...(from && { since: startOf(from, 0) }),
  ...(to && { until: startOf(to, 1) }),
})

function startOf(day: string, daysLater: number): string {
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}
