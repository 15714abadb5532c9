import { ID_PREFIXES, type IdKind } from "../lib/id.ts"

/** What the reference's examples are made of: the time and the id of all that they show. */
export const EXAMPLE_TIME = "2026-11-20T09:30:00.000Z"
export const exampleId = (kind: IdKind) => `${ID_PREFIXES[kind]}_01KAHTZ9QGX4N7C2D5E8RVW3MB`

/** Nine in the morning, two days from now: a time that a call accepts whenever it is copied. */
export function exampleTimeAhead(): string {
  const time = new Date(Date.now() + 48 * 3_600_000)
  time.setUTCHours(9, 0, 0, 0)
  return time.toISOString()
}
