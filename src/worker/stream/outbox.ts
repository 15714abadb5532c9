import { is, type Placeholder, SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { logError } from "../../lib/log.ts"
import { repeat } from "../../lib/repeat.ts"
import { within } from "../../lib/within.ts"
import type { Work } from "../platform/context.ts"
import { insertInto, resultColumns } from "../platform/db/columns.ts"
import { afterCommit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import type { Env } from "../platform/env.ts"
import type { Announcement, ToldChange } from "./history.ts"
import { streamOf } from "./stream-of.ts"
import { streamOutbox } from "./table.ts"

/** A change of an object. The stream carries its type and id; readers fetch the object. */
export interface Change extends ToldChange {
  teamId: string
}

/**
 * For `commit`, beside the statements that make the changes. A query selects `team_id, type, id`.
 * One row a team keeps the changes until the stream has published them.
 */
export const keepChanges = (
  { db }: Pick<Work, "db">,
  changes: SQL | readonly Change[],
  publication: string | Placeholder,
) =>
  afterCommit(
    db.all<KeptRow>(sql`
      ${insertInto(
        streamOutbox,
        {
          teamId: sql`team_id`,
          id: sql`${publication}`,
          changes: sql`json_group_array(json_object('type', type, 'id', id))`,
        },
        sql`from (${is(changes, SQL) ? changes : selectListed(changes)}) group by team_id`,
      )}
      returning ${resultColumns({ teamId, id, changes: streamOutbox.changes })}`),
    (work, kept) => {
      // A stream that hangs must not hold up the consumer: the sweep publishes what it misses.
      work.detach(publishKept(work, kept))
      return undefined
    },
  )

export const newPublication = (work: Work) => newId("publication", work.now())

const { teamId, id } = streamOutbox

const listed = jsonFields<Change>()
const selectListed = (changes: readonly Change[]) =>
  sql`select ${listed.teamId} as team_id, ${listed.type} as type, ${listed.id} as id
    from ${jsonRows(changes)}`

const RETRY_DELAYS_MS = [50, 250, 1_000]

/** A row of the outbox: the changes of one team that one batch has made. */
interface KeptRow {
  teamId: string
  id: string
  /** JSON of `ToldChange[]`. */
  changes: string
}

const toAnnouncement = ({ id, changes }: KeptRow): Announcement => ({
  id,
  changes: JSON.parse(changes),
})

/** After this time the sweep takes over. */
export const ANSWERS_WITHIN_MS = 5_000

/**
 * Publishes rows of the outbox: one call to the stream of each team. It does not throw, and ends
 * within seconds: the minute's sweep publishes the rest.
 */
async function publishKept({ env }: Work, kept: readonly KeptRow[]): Promise<void> {
  await Promise.all(
    kept.map((row) =>
      within(
        ANSWERS_WITHIN_MS,
        repeat(RETRY_DELAYS_MS, () => announce(env, row.teamId, [toAnnouncement(row)])),
      ).catch(logFailure),
    ),
  )
}

export async function announce(
  env: Env,
  teamId: string,
  announcements: readonly Announcement[],
): Promise<void> {
  await streamOf(env, teamId).announce(announcements)
}

export const logFailure = (error: unknown) => logError(error, { stream: true })
