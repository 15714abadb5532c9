import { sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { purgeInTurns } from "../teams/purge.ts"
import { teams } from "../teams/table.ts"
import { EVENTS_KEPT_DAYS } from "./contract.ts"
import { contactEvents } from "./table.ts"

/** The id of an event has its time. */
export function purgeContactEvents(work: Work): Promise<void> {
  const before = firstIdAt("event", work.now() - EVENTS_KEPT_DAYS * DAY_MS)
  const expired = sql`select ${contactEvents.id} as value from contact_events
    where ${contactEvents.teamId} = ${teams.id} and ${contactEvents.id} < ${before}`
  return purgeInTurns(work, expired, (select) =>
    work.db
      .delete(contactEvents)
      .where(sql`(${contactEvents.teamId}, ${contactEvents.id}) in (${select})`)
      .returning({ teamId: contactEvents.teamId }),
  )
}
