import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { chunk, mapLimit } from "../lib/chunk.ts"
import { firstIdAt } from "../lib/id.ts"
import { type KeptRow, toKept } from "./outbox.ts"
import { announce, logFailure, streamOf, TOLD_WITHIN_MS, within } from "./publish.ts"

/** Whoever kept a change tells it by then, or never will. */
const LEFT_AFTER_MS = 2 * TOLD_WITHIN_MS
const BEGINS_WITHIN_MS = 20_000

const TEAMS_A_SWEEP = 10_000
const TEAMS_A_ROUND = 50
const ROWS_A_TEAM = 500
/** A row has up to 30 KB. */
const ROWS_AT_ONCE = 20
/** A Worker has six connections open at once. */
const STREAMS_AT_ONCE = 5

/**
 * Empties the outbox, and tells what a stream has not told yet. Teams take turns in an order that
 * changes; one whose stream does not answer waits for the next minute.
 */
export async function sweepOutbox(work: Work): Promise<void> {
  const until = work.now() + BEGINS_WITHIN_MS
  const before = firstIdAt("publication", work.now() - LEFT_AFTER_MS)
  let teamIds = await takeTeams(work)
  while (teamIds.length > 0) {
    const unfinished: string[] = []
    for (const part of chunk(teamIds, TEAMS_A_ROUND)) {
      if (work.now() > until) return
      unfinished.push(...(await settleTeams(work, part, before)))
    }
    teamIds = unfinished
  }
}

/** The teams that have rows, found by one step of the primary key each. */
async function takeTeams(work: Work): Promise<string[]> {
  const [, , teams] = await work.db.batch([
    // A version before the outbox kept its changes there.
    work.db.run(sql`insert or ignore into stream_outbox (team_id, id, changes)
      select team_id, ${firstIdAt("publication", 0)} || id, changes from unpublished_changes`),
    work.db.run(sql`delete from unpublished_changes`),
    work.db.all<{ id: string }>(sql`
      with recursive teams(id) as (
        select min(team_id) from stream_outbox
        union all
        select (select min(team_id) from stream_outbox where team_id > teams.id)
        from teams where teams.id is not null
      )
      select id from teams where id is not null order by random() limit ${TEAMS_A_SWEEP}`),
  ])
  return teams.map(({ id }) => id)
}

/** Says which of these teams have more rows. */
async function settleTeams(work: Work, teamIds: readonly string[], before: string) {
  const left = await work.db.all<{ teamId: string; ids: string }>(sql`
    select t.value as teamId, (
      select json_group_array(id) from (
        select id from stream_outbox
        where team_id = t.value and id < ${before} order by id limit ${ROWS_A_TEAM})
    ) as ids
    from json_each(${JSON.stringify(teamIds)}) t`)
  const settled = await mapLimit(left, STREAMS_AT_ONCE, ({ teamId, ids }) =>
    settle(work, teamId, JSON.parse(ids)),
  )
  await deleteTold(work, settled)
  return settled.filter(({ ids }) => ids.length === ROWS_A_TEAM).map(({ teamId }) => teamId)
}

interface Settled {
  teamId: string
  /** Each of them is told. */
  ids: readonly string[]
}

async function settle(work: Work, teamId: string, ids: readonly string[]): Promise<Settled> {
  if (ids.length === 0) return { teamId, ids }
  try {
    const untold = await within(TOLD_WITHIN_MS, streamOf(work.env, teamId).untold(ids))
    for (const part of chunk(untold, ROWS_AT_ONCE)) {
      const rows = await work.db.all<KeptRow>(sql`
        select team_id as teamId, id, changes from stream_outbox
        where team_id = ${teamId} and id in (select value from json_each(${JSON.stringify(part)}))
        order by id`)
      await within(TOLD_WITHIN_MS, announce(work.env, teamId, rows.map(toKept)))
    }
    return { teamId, ids }
  } catch (error) {
    logFailure(error)
    return { teamId, ids: [] }
  }
}

async function deleteTold(work: Work, settled: readonly Settled[]): Promise<void> {
  const told = JSON.stringify(settled.filter(({ ids }) => ids.length > 0))
  await work.db.run(sql`
    delete from stream_outbox where (team_id, id) in (
      select x.value ->> 'teamId', told.value
      from json_each(${told}) x, json_each(x.value, '$.ids') told)`)
}
