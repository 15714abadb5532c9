import { sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { purgeInTurns } from "../teams/purge.ts"
import { teams } from "../teams/table.ts"
import { EVENTS_KEPT_DAYS } from "./contract.ts"
import { contactEvents, v } from "./table.ts"

/** The id of an event has its time. */
export function purgeContactEvents(work: Work): Promise<void> {
  const before = firstIdAt("event", work.now() - EVENTS_KEPT_DAYS * DAY_MS)
  const expired = sql`select ${v.id} as value from contact_events v
    where ${v.teamId} = ${teams.id} and ${v.id} < ${before}`
  return purgeInTurns(work, expired, (select) =>
    work.db
      .delete(contactEvents)
      .where(sql`(${contactEvents.teamId}, ${contactEvents.id}) in (${select})`)
      .returning({ teamId: contactEvents.teamId }),
  )
}
