import { and, isNull, type SQL, sql } from "drizzle-orm"
import { mapLimit } from "../../lib/chunk.ts"
import { newId } from "../../lib/id.ts"
import { inRounds } from "../../lib/rounds.ts"
import { CLOCKS_APART_MS } from "../../lib/time.ts"
import { apiKeys } from "../access/keys/table.ts"
import { members } from "../access/people/table.ts"
import type { Work } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { afterCommit, commit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { streamOf } from "../stream/stream-of.ts"
import { insertSuppressions } from "../suppressions/insert.ts"
import { deletionOf } from "../teams/deletion/delete-team.ts"
import { teams } from "../teams/table.ts"
import { listRemovals } from "./keep.ts"
import { compareAddresses, isAsRead, START } from "./repeat-erasures.ts"
import {
  type Removal,
  type RemovalRepeat,
  type RepeatPosition,
  removalRepeats,
  repeatedErasures,
} from "./table.ts"

const ROUNDS = { rounds: 20, size: 1 }
const STREAMS_AT_ONCE = 5
const x = jsonFields<Removal & { id: string }>()

/**
 * After a restore: revokes, removes and deletes again what the bucket keeps. Each page is written
 * together with the position of the next one.
 */
export const repeatRemovals = (work: Work) =>
  inRounds(ROUNDS, async () => {
    const [asked] = await work.db.select().from(removalRepeats)
    if (!asked || asked.finishedAt !== null) return []
    const { position } = asked
    if (position && "place" in position) await compareAddresses(work, asked, position)
    else await repeatPage(work, asked, position?.key)
    return [asked]
  })

async function repeatPage(work: Work, asked: RemovalRepeat, key?: string): Promise<void> {
  const { removals, last } = await listRemovals(work, key)
  const since = asked.restoredTo - CLOCKS_APART_MS
  const {
    address,
    key: revoked,
    member,
    team,
  } = Object.groupBy(
    removals.filter(({ removedAt }) => removedAt >= since),
    ({ kind }) => kind,
  )
  const isLive = and(
    isNull(apiKeys.revokedAt),
    sql`(${apiKeys.teamId}, ${apiKeys.id}) in (
      select ${x.teamId}, ${x.subject} from ${jsonRows(revoked ?? [])})`,
  )
  const left = selectLeft(member ?? [])
  const deleted = sql`select ${x.subject} from ${jsonRows(team ?? [])}`
  const position: RepeatPosition = last === null ? START : { key: last }
  await commit(work, {
    position: work.db
      .update(removalRepeats)
      .set({
        position,
        keys: sql`${removalRepeats.keys} + ${work.db.$count(apiKeys, isLive)}`,
        members: sql`${removalRepeats.members} + (select count(*) from (${left}))`,
        teams: sql`${removalRepeats.teams} + ${work.db.$count(teams, sql`${teams.id} in (${deleted})`)}`,
      })
      .where(isAsRead(asked)),
    revoked: afterCommit(
      work.db
        .update(apiKeys)
        .set({ revokedAt: work.now() })
        .where(isLive)
        .returning({ id: apiKeys.id, teamId: apiKeys.teamId }),
      ({ env }, keys) =>
        mapLimit(keys, STREAMS_AT_ONCE, ({ teamId, id }) => streamOf(env, teamId).endStreamsOf(id)),
    ),
    removed: work.db
      .delete(members)
      .where(sql`(${members.userId}, ${members.teamId}) in (${left})`),
    ...eraseAgain(work, address ?? []),
    ...deletionOf(work, deleted),
  })
}

/** Somebody who joined again after the removal stays. */
const selectLeft = (removals: readonly Removal[]): SQL => sql`
  select ${members.userId}, ${members.teamId} from ${jsonRows(removals)}
  cross join members on ${members.userId} = ${x.subject} and ${members.teamId} = ${x.teamId}
    and ${members.createdAt} <= ${x.removedAt}`

/** The addresses are suppressed at once. Their hashes wait to be compared. */
function eraseAgain(work: Work, removals: readonly Removal[]) {
  const now = work.now()
  const rows = removals.map((removal) => ({ ...removal, id: newId("suppression", now) }))
  const from = sql`from ${jsonRows(rows)} where exists (
    select 1 from ${teams} where ${teams.id} = ${x.teamId})`
  return {
    asked: work.db.run(
      insertInto(
        repeatedErasures,
        { teamId: x.teamId, erased: x.subject, removedAt: x.removedAt },
        sql`${from} on conflict do nothing`,
      ),
    ),
    suppressed: work.db.run(
      insertSuppressions(
        { teamId: x.teamId, email: x.subject, id: x.id, reason: "manual", createdAt: now },
        from,
      ),
    ),
  }
}
