const ISO =
  /^(\d{4}-\d{2}-(\d{2}))(T([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/

/** The time of an ISO date or time; null for anything else. Fast: it reads a field of each contact. */
export function readTime(value: unknown): number | null {
  const [text, date = "", day] = (typeof value === "string" && ISO.exec(value)) || []
  if (text === undefined) return null
  // `Date` takes the 30th of February for the 2nd of March.
  if (new Date(date).getUTCDate() !== Number(day)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

const WRITTEN =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[ T]+(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d{2}:\d{2}(?::\d{2})?))?$/

/**
 * The time of a property, also as files of other programs have it, such as `2018-03-24 10:23:10 UTC`.
 * Without a zone it is UTC. `03/04/2018` may be two days, and is none.
 */
export function readWrittenTime(value: unknown): number | null {
  const time = readTime(value)
  if (time !== null || typeof value !== "string") return time
  const [, year, month, day, clock, zone = "Z"] = WRITTEN.exec(value) ?? []
  if (year) return toTime(`${year}-${month}-${day}`, clock, toZone(zone))
  const [, dayOf = "", monthOf = "", yearOf, clockOf] = GERMAN.exec(value) ?? []
  return yearOf
    ? toTime(`${yearOf}-${monthOf.padStart(2, "0")}-${dayOf.padStart(2, "0")}`, clockOf, "Z")
    : null
}

/** PostgreSQL writes whole hours, as `+00`. */
const toZone = (zone: string) => {
  if (/^[+-]\d{2}$/.test(zone)) return `${zone}:00`
  return zone.length === 3 ? "Z" : zone
}

const toTime = (date: string, clock: string | undefined, zone: string) =>
  readTime(clock ? `${date}T${clock}${zone}` : date)
