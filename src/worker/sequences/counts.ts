import { type SQL, sql } from "drizzle-orm"
import type { EmailRef } from "../emails/messages.ts"
import { e, stepOf } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { assignments } from "../platform/db/columns.ts"
import { addCounted, COUNTED_SUMS, first, firstsOf, UNSUBSCRIBED_BIT } from "../stats/counters.ts"
import { q, sequenceSteps } from "./table.ts"

const step = sequenceSteps

/** Adds the new events in `newEvents` to the numbers of the steps that sent their emails. */
export const countStepMail = ({ db }: Pick<Work, "db">, newEvents: SQL) =>
  db.run(sql`
    update sequence_steps set ${assignments(sequenceSteps, addCounted(sequenceSteps, "added"))}
    from (
      with ${firstsOf(newEvents)}
      select ${e.teamId} as team_id, ${e.campaignId} as sequence_id, ${stepOf("stepKey")} as step_key, ${COUNTED_SUMS}
      from firsts
        cross join sequences q on ${q.teamId} = ${first.team_id} and ${q.id} = ${first.campaign_id}
        cross join emails e on ${e.teamId} = ${first.team_id} and ${e.id} = ${first.email_id}
      group by ${e.teamId}, ${e.campaignId}, ${stepOf("stepKey")}
    ) as added
    where ${step.teamId} = added.team_id and ${step.sequenceId} = added.sequence_id
      and ${step.stepKey} = added.step_key`)

/** Before `countUnsubscribed` marks the email. */
export const countStepUnsubscribed = (work: Work, { teamId, emailId }: EmailRef, condition: SQL) =>
  work.db
    .update(sequenceSteps)
    .set({ unsubscribed: sql`${step.unsubscribed} + 1` })
    .where(
      sql`(${step.teamId}, ${step.sequenceId}, ${step.stepKey}) in (
        select ${e.teamId}, ${e.campaignId}, ${stepOf("stepKey")} from emails e
        where ${e.teamId} = ${teamId} and ${e.id} = ${emailId} and ${e.sequenceStep} is not null
          and not ${e.eventTypes} & ${UNSUBSCRIBED_BIT} and ${condition})`,
    )
