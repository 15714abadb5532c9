import { sql } from "drizzle-orm"
import { repeat } from "../../../lib/repeat.ts"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { emails } from "../table.ts"
import { isOpen, OPEN_EMAILS, openTeams, PRIORITIES, type Priority } from "./open-emails.ts"

const WAITS_MS = [100, 400, 1_600]

/**
 * For a claim whose answer was lost: it may be committed, and none of its emails was sent. Their
 * ids are unknown, but all of them have its lease.
 */
export const releaseClaim = (work: Work, claim: string, lease: number) =>
  repeat(WAITS_MS, () =>
    work.db.batch([
      releaseClaimOf(PRIORITIES.transactional, work, claim, lease),
      releaseClaimOf(PRIORITIES.bulk, work, claim, lease),
    ]),
  )

const releaseClaimOf = (priority: Priority, work: Work, claim: string, lease: number) =>
  work.db.run(sql`
    with recursive ${openTeams(priority)}
    update emails set ${assignments(emails, {
      notBefore: work.now(),
      attempts: sql`${emails.attempts} - 1`,
      unanswered: sql`${emails.unanswered} - 1`,
    })}
    where (${emails.teamId}, ${emails.id}) in (
      select ${emails.teamId}, ${emails.id} from team cross join ${OPEN_EMAILS} on ${isOpen(priority)}
        and ${emails.teamId} = team.id and ${emails.notBefore} = ${lease}
      where ${emails.claimedBy} = ${claim} and ${emails.status} = 'sending'
    )`)
