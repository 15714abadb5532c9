import { type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { contacts } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit } from "../../platform/db/commit.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { RUNS_ARE_DUE } from "../messages.ts"
import { sequenceRuns, sequences } from "../table.ts"

/**
 * Part of the batch that causes it: starts runs of the active sequences of the book of each
 * subscribed contact, where the condition holds. `from` has these contacts. Nobody has two runs of a
 * sequence at once.
 */
export const enterSequences = (work: Work, condition: SQL, from = sql`contacts`) =>
  afterCommit(
    work.db.run(
      insertInto(
        sequenceRuns,
        {
          teamId: sequences.teamId,
          id: sql`${firstIdAt("sequenceRun", work.now()).slice(0, -16)}
            || printf('%04X', row_number() over (order by ${contacts.id},
              ${sequences.id})) || hex(randomblob(6))`,
          sequenceId: sequences.id,
          contactId: contacts.id,
          version: sequences.version,
          since: work.now(),
          state: sql`'waiting'`,
          dueAt: work.now(),
          startedAt: work.now(),
        },
        sql`from ${from} cross join sequences
          on ${sequences.teamId} = ${contacts.teamId} and ${sequences.bookId} = ${contacts.bookId}
            and ${sequences.status} = 'active'
          where ${contacts.subscribed} and ${condition} and not exists (
            select 1 from sequence_runs indexed by sequence_runs_contact
            where ${sequenceRuns.teamId} = ${sequences.teamId}
              and ${sequenceRuns.contactId} = ${contacts.id}
              and ${sequenceRuns.sequenceId} = ${sequences.id}
              and (${sequences.entry} = 'once' or ${sequenceRuns.state} <> 'done'))
          group by ${contacts.id}, ${sequences.id}`,
      ),
    ),
    (work, { meta }) => (meta.changes > 0 ? enqueueNow(work.env, [RUNS_ARE_DUE]) : undefined),
  )

/** After the change of consent: `isChanged` is a condition on the contacts that subscribed. */
export const enterSubscribed = (work: Work, isChanged: SQL, { isImport = false } = {}) =>
  enterSequences(
    work,
    sql`${isChanged} and ${sequences.trigger} ->> 'on' = 'subscribed'
      and (not ${Number(isImport)} or ${sequences.trigger} ->> 'imports')`,
  )

/** After the events are stored: `from` has their contacts, and `name` is the event's. */
export const enterByEvent = (work: Work, name: SQL, from: SQL) =>
  enterSequences(
    work,
    sql`${sequences.trigger} ->> 'on' = 'event' and ${sequences.trigger} ->> 'name' = ${name}`,
    from,
  )
