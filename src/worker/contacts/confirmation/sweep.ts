import { and, asc, eq, lte, sql } from "drizzle-orm"
import { logError } from "../../../lib/log.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { assignments } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { moveCounts } from "../counts.ts"
import { contacts } from "../table.ts"
import { putOff, sendConfirmation } from "./mail.ts"
import { type ConfirmationRow, confirmationMails, confirmations } from "./table.ts"

const MAILS_A_SWEEP = 50
const EXPIRED_A_SWEEP = 500

/** Mail that was not sent right after the question, and questions without an answer. */
export async function sweepConfirmations(work: Work): Promise<void> {
  const due = await work.db
    .select()
    .from(confirmations)
    .where(lte(confirmations.mailDueAt, work.now()))
    .orderBy(asc(confirmations.mailDueAt))
    .limit(MAILS_A_SWEEP)
  for (const ref of due) {
    await sendConfirmation(work, ref).catch((error) => {
      logError(error, { confirmation: ref.id })
      return putOff(work, ref)
    })
  }
  const expired = await work.db
    .select()
    .from(confirmations)
    .where(lte(confirmations.expiresAt, work.now()))
    .orderBy(asc(confirmations.expiresAt))
    .limit(EXPIRED_A_SWEEP)
  for (const [teamId, ofTeam] of Map.groupBy(expired, (row) => row.teamId)) {
    await expire(work, teamId, ofTeam)
  }
}

/** In the directory: the limit looks back one day. */
export const forgetConfirmationMails = (work: Work) =>
  work.db.delete(confirmationMails).where(lte(confirmationMails.sentAt, work.now() - DAY_MS))

/**
 * Deletes the contacts that were only ever pending. Others, which had unsubscribed before, stay as they
 * were. A later question that is still open keeps a contact pending.
 */
async function expire(work: Work, teamId: string, expired: readonly ConfirmationRow[]) {
  const rows = expired.map(({ bookId, contactId, id }) => ({ bookId, contactId, id }))
  const x = jsonFields<(typeof rows)[number]>()
  const table = jsonRows(rows)
  const isOver = sql`${contacts.teamId} = ${teamId} and ${contacts.confirmation} = 'pending'
    and (${contacts.bookId}, ${contacts.id}) in (select ${x.bookId}, ${x.contactId} from ${table})
    and not exists (select 1 from ${confirmations} where ${confirmations.teamId} = ${contacts.teamId}
      and ${confirmations.bookId} = ${contacts.bookId} and ${confirmations.contactId} = ${contacts.id}
      and ${confirmations.expiresAt} > ${work.now()})`
  const isOnlyPending = sql`${isOver} and ${contacts.unsubscribedAt} is null`
  await commit(work, {
    counts: moveCounts(
      work,
      teamId,
      sql`select ${contacts.bookId}, -count(*) as contacts, 0 as subscribed from ${contacts}
        where ${isOnlyPending} group by ${contacts.bookId}`,
    ),
    deleted: work.db.delete(contacts).where(isOnlyPending),
    kept: work.db.run(sql`
      update ${contacts} set ${assignments(contacts, {
        confirmation: sql`iif(${contacts.confirmedAt} is null, null, 'confirmed')`,
        updatedAt: sql`max(${work.now()}, ${contacts.updatedAt} + 1)`,
      })} where ${isOver}`),
    questions: work.db.delete(confirmations).where(
      and(
        eq(confirmations.teamId, teamId),
        sql`(${confirmations.bookId}, ${confirmations.contactId}, ${confirmations.id}) in (
          select ${x.bookId}, ${x.contactId}, ${x.id} from ${table})`,
        lte(confirmations.expiresAt, work.now()),
      ),
    ),
  })
}
