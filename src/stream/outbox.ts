import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import { newId } from "../lib/id.ts"
import type { Announcement, ToldChange } from "./history.ts"

/** A change of an object. The stream carries its type and id; readers fetch the object. */
export interface Change extends ToldChange {
  teamId: string
}

/** The changes of one team that one batch has made. */
export interface Kept extends Announcement {
  teamId: string
}

/**
 * Part of the batch that makes the changes: `changes` selects `team_id, type, id`. One row a team
 * keeps them until the stream has published them. `publishKept` takes the rows after the commit.
 */
export const keepChanges = (work: Work, changes: SQL) =>
  keepChangesAs(work, changes, newPublication(work))

export const newPublication = (work: Work) => newId("publication", work.now())

/** The same under this id. */
export const keepChangesAs = (
  { db }: Pick<Work, "db">,
  changes: SQL,
  publication: string | Placeholder,
) =>
  db.all<KeptRow>(sql`
    insert into stream_outbox (team_id, id, changes)
    select team_id, ${publication},
      json_group_array(json_object('type', type, 'id', id))
    from (${changes}) group by team_id
    returning team_id as teamId, id, changes`)

/** The same for changes that the caller knows. */
export const keepListed = (work: Work, changes: readonly Change[]) =>
  keepChanges(
    work,
    sql`select ${listed.teamId} as team_id, ${listed.type} as type, ${listed.id} as id
      from ${jsonRows(changes)}`,
  )
const listed = membersOf<Change>()

export interface KeptRow {
  teamId: string
  id: string
  changes: string
}

export const toKept = ({ teamId, id, changes }: KeptRow): Kept => ({
  teamId,
  id,
  changes: JSON.parse(changes),
})
