import { and, eq, isNull, sql } from "drizzle-orm"
import { CLOCKS_APART_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { type ReceivedRow, receivedEmails } from "../table.ts"

/** A consumer reads one message at a time, and the largest takes a few seconds. */
export const LEASE_MS = 5 * MINUTE_MS
/** After this many claims that came to nothing, a message is kept as it came. */
export const MAX_ATTEMPTS = 5

const AGAIN_AFTER_MS = MINUTE_MS
const CONSIDERED = 200

/**
 * Waiting mail, so that teams take turns. Nobody else may work it off before the lease ends. A message whose
 * last attempt came to nothing is claimed alone, in case it ends its process.
 */
export const claimReceived = (work: Work, count: number) =>
  work.db
    .update(receivedEmails)
    .set({ leasedUntil: work.now() + LEASE_MS, attempts: sql`${receivedEmails.attempts} + 1` })
    .where(
      sql`(${receivedEmails.teamId}, ${receivedEmails.id}) in (
        with waiting as (
          select ${receivedEmails.teamId} as team_id, ${receivedEmails.id} as id,
            ${receivedEmails.attempts} as attempts,
            row_number() over (partition by ${receivedEmails.teamId} order by ${receivedEmails.id}) as turn
          from received_emails
          where ${receivedEmails.parsed} is null and ${isFree(work)}
            and ${receivedEmails.teamId} not in (${FENCED_TEAMS})
          limit +${CONSIDERED}),
        ordered as (select *, row_number() over (order by turn, id) as number from waiting)
        select team_id, id from ordered
        where iif((select attempts from ordered where number = 1) > 0, number = 1, attempts = 0)
        order by number limit +${count})`,
    )
    .returning()

/** A lease that no rule allows is of a clock that was ahead. */
const isFree = ({ now }: Work) => sql`(${receivedEmails.leasedUntil} <= ${now()}
  or ${receivedEmails.leasedUntil} > ${now() + LEASE_MS + CLOCKS_APART_MS})`

/** Only the lease holder writes. */
export const isLeaseHolder = ({ teamId, id, leasedUntil }: ReceivedRow) =>
  and(
    eq(receivedEmails.teamId, teamId),
    eq(receivedEmails.id, id),
    isNull(receivedEmails.parsed),
    eq(receivedEmails.leasedUntil, leasedUntil),
  )

/** After a fault, which costs an attempt only if it is the message's own. */
export const releaseReceived = (work: Work, row: ReceivedRow, { costsAttempt = false } = {}) =>
  work.db
    .update(receivedEmails)
    .set({
      leasedUntil: work.now() + AGAIN_AFTER_MS,
      attempts: sql`${receivedEmails.attempts} - ${Number(!costsAttempt)}`,
    })
    .where(isLeaseHolder(row))

/** A consumer may still write rows of the team. */
export const selectLeased = (work: Work, teamId: string, ends: { after: number; before: number }) =>
  work.db
    .select({ id: receivedEmails.id })
    .from(receivedEmails)
    .where(
      and(
        eq(receivedEmails.teamId, teamId),
        isNull(receivedEmails.parsed),
        sql`${receivedEmails.leasedUntil} > ${ends.after} and ${receivedEmails.leasedUntil} < ${ends.before}`,
      ),
    )
    .limit(1)
