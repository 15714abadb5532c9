import { DAY_MS } from "../../../lib/time.ts"
import type { ConsentEntry, ConsentSource } from "../shapes.ts"

/** How often one link may change something a day, and how many entries of history that may make. */
const MAX_CHANGES_A_DAY = 20
const MAX_ENTRIES_A_DAY = 120

const OF_LINKS: readonly ConsentSource[] = ["link", "one-click", "mail", "preferences"]

type History = { contact: { consents: readonly ConsentEntry[] } }

/** Whether links have changed these contacts so often today that they may only end something. */
export function areOverLimit(found: readonly History[], now: number): boolean {
  const recent = found.map(({ contact }) =>
    contact.consents.filter(({ by, at }) => OF_LINKS.includes(by) && at > now - DAY_MS),
  )
  const times = new Set(recent.flat().map(({ at }) => at))
  return times.size >= MAX_CHANGES_A_DAY || recent.some(({ length }) => length >= MAX_ENTRIES_A_DAY)
}

/** When this consent changed last; 0 if it never did. */
export const lastChange = (found: readonly History[], topicId: string | null): number =>
  Math.max(
    0,
    ...found.flatMap(({ contact }) =>
      contact.consents.filter((entry) => entry.topicId === topicId).map(({ at }) => at),
    ),
  )
