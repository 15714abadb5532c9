import { ID_PREFIXES, type IdKind } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"

/** The time and the ids in the reference's examples. */
export const EXAMPLE_TIME = "2026-11-20T09:30:00.000Z"
export const exampleId = (kind: IdKind) => `${ID_PREFIXES[kind]}_01KAHTZ9QGX4N7C2D5E8RVW3MB`

/** 09:00 UTC in two days: the example still works when somebody copies it. */
export function exampleTimeAhead(): string {
  const time = new Date(Date.now() + 2 * DAY_MS)
  time.setUTCHours(9, 0, 0, 0)
  return time.toISOString()
}
