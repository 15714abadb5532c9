import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { HOUR_MS } from "../../../lib/time.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { webhookHours } from "./table.ts"

interface Ended {
  teamId: SQLWrapper
  webhookId: SQLWrapper
  /** When the deliveries ended. */
  at: SQLWrapper | number
  /** How many of them. */
  succeeded: SQLWrapper | number
  failed: SQLWrapper | number
}

/** Adds the deliveries that `from` finds to the counts of their webhook and hour. */
export const countEnded = ({ teamId, webhookId, at, succeeded, failed }: Ended, from: SQL): SQL =>
  insertInto(
    webhookHours,
    { teamId, webhookId, hour: sql`${at} - ${at} % ${HOUR_MS}`, succeeded, failed },
    sql`${from} on conflict do update set ${assignments(webhookHours, {
      succeeded: sql`${webhookHours.succeeded} + ${excluded(webhookHours.succeeded)}`,
      failed: sql`${webhookHours.failed} + ${excluded(webhookHours.failed)}`,
    })}`,
  )
