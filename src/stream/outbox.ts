import { type Placeholder, type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { columnsAs, insertInto } from "../db/columns.ts"
import { type Followed, followed } from "../db/commit.ts"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { newId } from "../lib/id.ts"
import type { ToldChange } from "./history.ts"
import { type KeptRow, publishKept } from "./publish.ts"
import { streamOutbox } from "./table.ts"

/** A change of an object. The stream carries its type and id; readers fetch the object. */
export interface Change extends ToldChange {
  teamId: string
}

/**
 * For `commit`, beside the statements that make the changes: `changes` selects `team_id, type, id`.
 * One row a team keeps them until the stream has published them.
 */
export const keepChanges = (work: Work, changes: SQL) =>
  published(keepChangesAs(work, changes, newPublication(work)))

/** The stream publishes these rows after the commit. */
export const published = <Q extends Query & { _: { result: KeptRow[] } }>(query: Q): Followed<Q> =>
  followed(query, publishKept)

export const newPublication = (work: Work) => newId("publication", work.now())

/** The same under this id. */
export const keepChangesAs = (
  { db }: Pick<Work, "db">,
  changes: SQL,
  publication: string | Placeholder,
) =>
  db.all<KeptRow>(sql`
    ${insertInto(
      streamOutbox,
      {
        teamId: sql`team_id`,
        id: sql`${publication}`,
        changes: sql`json_group_array(json_object('type', type, 'id', id))`,
      },
      sql`from (${changes}) group by team_id`,
    )}
    returning ${columnsAs({ teamId, id, changes: streamOutbox.changes })}`)

const { teamId, id } = streamOutbox

/** The same for changes that the caller knows. */
export const keepListed = (work: Work, changes: readonly Change[]) =>
  keepChanges(
    work,
    sql`select ${listed.teamId} as team_id, ${listed.type} as type, ${listed.id} as id
      from ${jsonRows(changes)}`,
  )
const listed = membersOf<Change>()
