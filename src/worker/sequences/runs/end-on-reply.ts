import { type SQL, sql } from "drizzle-orm"
import { emails, stepOf } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { afterCommit, type Statement } from "../../platform/db/commit.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { RUNS_ARE_DUE } from "../messages.ts"
import { sequenceRuns, sequences } from "../table.ts"

/**
 * Part of the batch that records a reply: ends the run that sent the email, at its next look. Mail of
 * the run that is queued already is withdrawn, also where the run is done.
 */
export function endOnReply(
  work: Work,
  { teamId, emailId }: { teamId: string; emailId: string | null },
  condition: SQL,
): Statement[] {
  if (emailId === null) return []
  const run = sequenceRuns
  return [
    afterCommit(
      work.db
        .update(run)
        // The other visit keeps out a move that was decided before.
        .set({
          replied: true,
          dueAt: sql`iif(${run.state} = 'done', null, ${work.now()})`,
          visit: sql`${run.visit} + 1`,
        })
        .where(
          sql`${run.teamId} = ${teamId} and ${run.id} = (
            select ${stepOf("runId")} from emails
            cross join sequences on ${sequences.teamId} = ${emails.teamId}
              and ${sequences.id} = ${emails.campaignId}
            where ${emails.teamId} = ${teamId} and ${emails.id} = ${emailId}
              and ${emails.sequenceStep} is not null
              and ${sequences.endOnReply} and ${condition})`,
        )
        .returning({ id: run.id }),
      (work, ended) => (ended.length > 0 ? enqueueNow(work.env, [RUNS_ARE_DUE]) : undefined),
    ),
  ]
}
