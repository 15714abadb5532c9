import { type SQL, sql } from "drizzle-orm"
import type { Filling, StoredBody } from "../../campaigns/sending/campaign-mail.ts"
import { itsTopic, wantsTopic } from "../../campaigns/sending/wants-topic.ts"
import { b, c } from "../../contacts/table.ts"
import { e, stepOf } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { q, r, sequenceBodies } from "../table.ts"

/** Ends of a run after which its queued mail is not sent. */
const STOPS = sql.raw(["goal", "reply", "person", "archived"].map((end) => `'${end}'`).join(", "))

/** As `selectFillings` of campaigns, for emails of sequences. Without a status, the mail is withdrawn. */
export const selectSequenceFillings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Filling>(sql`
    select ${e.id} as emailId, ${e.campaignId} || '/' || ${stepOf("version")} || '/' || ${stepOf("stepKey")} as bodyKey,
      iif(${q.status} = 'archived' or ${q.deletedAt} is not null or ${r.endedBy} in (${STOPS})
          or (${r.replied} and ${q.endOnReply}),
        null, ${q.status}) as status,
      ${q.status} = 'paused' as isPaused, ${q.window} as sendWindow, ${q.bookId} as bookId,
      null as mergeDefaults, ${c.email}, ${c.firstName} as firstName, ${c.lastName} as lastName,
      ${c.properties}, ${c.subscribed}, ${wantsTopic(q.topicId)} as wantsTopic
    from emails e
    left join sequences q on ${q.teamId} = ${e.teamId} and ${q.id} = ${e.campaignId}
    left join sequence_runs r on ${r.teamId} = ${e.teamId} and ${r.id} = ${stepOf("runId")}
    ${itsTopic(q.teamId, q.topicId)}
    left join contacts c
      on ${c.teamId} = ${q.teamId} and ${c.bookId} = ${q.bookId} and ${c.id} = ${e.contactId}
        and exists (select 1 from contact_books b where ${b.teamId} = ${q.teamId} and ${b.id} = ${q.bookId})
    where (${e.teamId}, ${e.id}) in ${asked} and ${e.sequenceStep} is not null`)

export const selectSequenceBodies = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<StoredBody>(sql`
    select ${sequenceBodies.sequenceId} || '/'
        || ${sequenceBodies.version} || '/' || ${sequenceBodies.stepKey} as key,
      ${sequenceBodies.body}, ${sequenceBodies.objectKey} as objectKey
    from (
      select distinct ${e.teamId} as team_id, ${e.campaignId} as sequence_id,
        ${stepOf("version")} as version, ${stepOf("stepKey")} as step_key
      from emails e where (${e.teamId}, ${e.id}) in ${asked} and ${e.sequenceStep} is not null
    ) x
    cross join ${sequenceBodies} on ${sequenceBodies.teamId} = x.team_id
      and ${sequenceBodies.sequenceId} = x.sequence_id and ${sequenceBodies.version} = x.version
      and ${sequenceBodies.stepKey} = x.step_key`)
