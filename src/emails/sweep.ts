import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { inRounds } from "../lib/rounds.ts"
import { lookAgainAfter } from "../queues/look-again.ts"
import { type EmailRef, enqueueSends, SWEEP_LOOKS_AHEAD_MS } from "./queue.ts"

const ROUNDS = { rounds: 20, size: 500 }

interface Due extends EmailRef {
  notBefore: number
  campaignId: string | null
}

/**
 * Whatever the database says is due and no message carries: scheduled mail of the coming minute,
 * emails whose message was lost, and ones whose consumer died with the lease.
 */
export const sweepEmails = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await takeDue(work, size)
    await enqueueSends(
      work,
      due.map(({ campaignId, ...email }) => ({ ...email, bulk: campaignId !== null })),
    )
    return due.length
  })

const takeDue = (work: Work, size: number) =>
  work.db.all<Due>(sql`
    update emails set due_at = max(due_at, ${work.now()})
      + ${lookAgainAfter(work.now(), sql`not_before`)}
    where (team_id, id) in (
      select team_id, id from emails
      where due_at <= ${work.now() + SWEEP_LOOKS_AHEAD_MS} order by due_at limit ${size}
    )
    returning team_id as teamId, id as emailId, not_before as notBefore, campaign_id as campaignId`)
