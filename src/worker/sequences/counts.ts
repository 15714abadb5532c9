import { type SQL, sql } from "drizzle-orm"
import type { EmailRef } from "../emails/messages.ts"
import { emails, stepOf } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { assignments } from "../platform/db/columns.ts"
import { addCounted, COUNTED_SUMS, first, firstsOf, UNSUBSCRIBED_BIT } from "../stats/counters.ts"
import { sequenceSteps, sequences } from "./table.ts"

const step = sequenceSteps

/** Adds the new events in `newEvents` to the numbers of the steps that sent their emails. */
export const countStepMail = ({ db }: Pick<Work, "db">, newEvents: SQL) =>
  db.run(sql`
    update sequence_steps set ${assignments(sequenceSteps, addCounted(sequenceSteps, "added"))}
    from (
      with ${firstsOf(newEvents)}
      select ${emails.teamId} as team_id, ${emails.campaignId} as sequence_id,
        ${stepOf("stepKey")} as step_key, ${COUNTED_SUMS}
      from firsts
        cross join sequences on ${sequences.teamId} = ${first.team_id}
          and ${sequences.id} = ${first.campaign_id}
        cross join emails on ${emails.teamId} = ${first.team_id} and ${emails.id} = ${first.email_id}
      group by ${emails.teamId}, ${emails.campaignId}, ${stepOf("stepKey")}
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
        select ${emails.teamId}, ${emails.campaignId}, ${stepOf("stepKey")} from emails
        where ${emails.teamId} = ${teamId} and ${emails.id} = ${emailId}
          and ${emails.sequenceStep} is not null
          and not ${emails.eventTypes} & ${UNSUBSCRIBED_BIT} and ${condition})`,
    )
