import { type SQL, sql } from "drizzle-orm"
import type { Filling, StoredBody } from "../../campaigns/sending/campaign-mail.ts"
import { itsTopic, wantsTopic } from "../../campaigns/sending/wants-topic.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import { emails, stepOf } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { sequenceBodies, sequenceRuns, sequences } from "../table.ts"

/** Ends of a run after which its queued mail is not sent. */
const STOPS = sql.raw(["goal", "reply", "person", "archived"].map((end) => `'${end}'`).join(", "))

/** As `selectFillings` of campaigns, for emails of sequences. Without a status, the mail is withdrawn. */
export const selectSequenceFillings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Filling>(sql`
    select ${emails.id} as emailId,
      ${emails.campaignId} || '/' || ${stepOf("version")} || '/' || ${stepOf("stepKey")} as bodyKey,
      iif(${sequences.status} = 'archived' or ${sequences.deletedAt} is not null
        or ${sequenceRuns.endedBy} in (${STOPS})
          or (${sequenceRuns.replied} and ${sequences.endOnReply}),
        null, ${sequences.status}) as status,
      ${sequences.status} = 'paused' as isPaused, ${sequences.window} as sendWindow,
        ${sequences.bookId} as bookId,
      null as mergeDefaults, ${contacts.email}, ${contacts.firstName} as firstName,
        ${contacts.lastName} as lastName,
      ${contacts.properties}, ${contacts.subscribed}, ${wantsTopic(sequences.topicId)} as wantsTopic
    from emails
    left join sequences on ${sequences.teamId} = ${emails.teamId} and ${sequences.id} = ${emails.campaignId}
    left join sequence_runs on ${sequenceRuns.teamId} = ${emails.teamId}
      and ${sequenceRuns.id} = ${stepOf("runId")}
    ${itsTopic(sequences.teamId, sequences.topicId)}
    left join contacts
      on ${contacts.teamId} = ${sequences.teamId} and ${contacts.bookId} = ${sequences.bookId}
        and ${contacts.id} = ${emails.contactId}
        and exists (select 1 from contact_books where ${contactBooks.teamId} = ${sequences.teamId}
        and ${contactBooks.id} = ${sequences.bookId})
    where (${emails.teamId}, ${emails.id}) in ${asked} and ${emails.sequenceStep} is not null`)

export const selectSequenceBodies = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<StoredBody>(sql`
    select ${sequenceBodies.sequenceId} || '/'
        || ${sequenceBodies.version} || '/' || ${sequenceBodies.stepKey} as key,
      ${sequenceBodies.body}, ${sequenceBodies.objectKey} as objectKey
    from (
      select distinct ${emails.teamId} as team_id, ${emails.campaignId} as sequence_id,
        ${stepOf("version")} as version, ${stepOf("stepKey")} as step_key
      from emails where (${emails.teamId}, ${emails.id}) in ${asked} and ${emails.sequenceStep} is not null
    ) x
    cross join ${sequenceBodies} on ${sequenceBodies.teamId} = x.team_id
      and ${sequenceBodies.sequenceId} = x.sequence_id and ${sequenceBodies.version} = x.version
      and ${sequenceBodies.stepKey} = x.step_key`)
