import { type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { c } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit } from "../../platform/db/commit.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { RUNS_ARE_DUE } from "../messages.ts"
import { q, r, sequenceRuns } from "../table.ts"

/**
 * Part of the batch that causes it: starts runs of the active sequences `q` of the book of each
 * subscribed contact `c`, where the condition holds. `from` has these contacts. Nobody has two runs of a
 * sequence at once.
 */
export const enterSequences = (work: Work, condition: SQL, from = sql`contacts c`) =>
  afterCommit(
    work.db.run(
      insertInto(
        sequenceRuns,
        {
          teamId: q.teamId,
          id: sql`${firstIdAt("sequenceRun", work.now()).slice(0, -16)}
            || printf('%04X', row_number() over (order by ${c.id}, ${q.id})) || hex(randomblob(6))`,
          sequenceId: q.id,
          contactId: c.id,
          version: q.version,
          since: work.now(),
          state: sql`'waiting'`,
          dueAt: work.now(),
          startedAt: work.now(),
        },
        sql`from ${from} cross join sequences q
          on ${q.teamId} = ${c.teamId} and ${q.bookId} = ${c.bookId} and ${q.status} = 'active'
          where ${c.subscribed} and ${condition} and not exists (
            select 1 from sequence_runs r indexed by sequence_runs_contact
            where ${r.teamId} = ${q.teamId} and ${r.contactId} = ${c.id} and ${r.sequenceId} = ${q.id}
              and (${q.entry} = 'once' or ${r.state} <> 'done'))
          group by ${c.id}, ${q.id}`,
      ),
    ),
    (work, { meta }) => (meta.changes > 0 ? enqueueNow(work.env, [RUNS_ARE_DUE]) : undefined),
  )

/** After the change of consent: `isChanged` is a condition on the contacts `c` that subscribed. */
export const enterSubscribed = (work: Work, isChanged: SQL, { isImport = false } = {}) =>
  enterSequences(
    work,
    sql`${isChanged} and ${q.trigger} ->> 'on' = 'subscribed'
      and (not ${Number(isImport)} or ${q.trigger} ->> 'imports')`,
  )

/** After the events are stored: `from` has their contacts as `c`, and `name` is the event's. */
export const enterByEvent = (work: Work, name: SQL, from: SQL) =>
  enterSequences(
    work,
    sql`${q.trigger} ->> 'on' = 'event' and ${q.trigger} ->> 'name' = ${name}`,
    from,
  )
