import { type SQL, sql } from "drizzle-orm"
import { chunk, mapLimit } from "../../lib/chunk.ts"
import { firstIdAt } from "../../lib/id.ts"
import { within } from "../../lib/within.ts"
import type { Work } from "../platform/context.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { distinctIds } from "../platform/db/per-owner.ts"
import { FENCED_TEAMS } from "../teams/moving/fenced.ts"
import { ANSWERS_WITHIN_MS, announce, logFailure } from "./outbox.ts"
import { streamOf } from "./stream-of.ts"
import { streamOutbox } from "./table.ts"

/** After this time only the sweep publishes a row of the outbox. */
const LEFT_AFTER_MS = 2 * ANSWERS_WITHIN_MS
const BEGINS_WITHIN_MS = 20_000

const TEAMS_A_SWEEP = 10_000
const TEAMS_A_ROUND = 50
const ROWS_A_TEAM = 500
/**
 * An invocation may make a thousand calls to objects and the database, and all work of the minute
 * shares one. Each call of a publication takes one query more.
 */
const CALLS_A_SWEEP = 400
/** A row has up to 30 KB. */
const ROWS_AT_ONCE = 20
/** A Worker has six connections open at once. */
const STREAMS_AT_ONCE = 5

/**
 * Publishes the changes in the outbox that no stream has published yet, and empties the outbox. Teams
 * come in random order. A team whose stream does not answer waits for the next minute.
 */
export async function sweepOutbox(work: Work): Promise<void> {
  const until = work.now() + BEGINS_WITHIN_MS
  const before = firstIdAt("publication", work.now() - LEFT_AFTER_MS)
  const budget = { calls: CALLS_A_SWEEP }
  let teamIds = await takeTeams(work)
  while (teamIds.length > 0) {
    const unfinished: string[] = []
    for (const part of chunk(teamIds, TEAMS_A_ROUND)) {
      if (work.now() > until || budget.calls <= 0) return
      unfinished.push(...(await settleTeams(work, part, before, budget)))
    }
    teamIds = unfinished
  }
}

/** The teams with rows. Each is found by one step in the primary key. */
async function takeTeams(work: Work): Promise<string[]> {
  const teams = await work.db.all<{ id: string }>(sql`
    with recursive ${distinctIds("team", nextTeam)}
    select id from team where id is not null and id not in (${FENCED_TEAMS}) order by random() limit +${TEAMS_A_SWEEP}`)
  return teams.map(({ id }) => id)
}

const nextTeam = (after: SQL) =>
  sql`(select min(${streamOutbox.teamId}) from stream_outbox where ${streamOutbox.teamId} > ${after})`

/** Answers with the teams that have more rows. */
async function settleTeams(work: Work, teamIds: readonly string[], before: string, budget: Budget) {
  const left = await work.db.all<{ teamId: string; ids: string }>(sql`
    select t.value as teamId, (
      select json_group_array(id) from (
        select ${streamOutbox.id} as id from stream_outbox
        where ${streamOutbox.teamId} = t.value and ${streamOutbox.id} < ${before}
          order by ${streamOutbox.id} limit +${ROWS_A_TEAM})
    ) as ids
    from json_each(${JSON.stringify(teamIds)}) t`)
  const settled = await mapLimit(left, STREAMS_AT_ONCE, ({ teamId, ids }) =>
    settle(work, teamId, JSON.parse(ids), budget),
  )
  await deleteTold(work, settled)
  return settled.filter(({ ids }) => ids.length === ROWS_A_TEAM).map(({ teamId }) => teamId)
}

interface Settled {
  teamId: string
  /** All of them are published. */
  ids: readonly string[]
}

interface Budget {
  /** The calls to streams that this sweep may still make. */
  calls: number
}

async function settle(
  work: Work,
  teamId: string,
  ids: readonly string[],
  budget: Budget,
): Promise<Settled> {
  if (ids.length === 0) return { teamId, ids }
  if (budget.calls-- <= 0) return { teamId, ids: [] }
  try {
    const untold = await within(ANSWERS_WITHIN_MS, streamOf(work.env, teamId).untold(ids))
    for (const part of chunk(untold, ROWS_AT_ONCE)) {
      if (budget.calls-- <= 0) return { teamId, ids: [] }
      const rows = await work.db
        .select()
        .from(streamOutbox)
        .where(
          sql`${streamOutbox.teamId} = ${teamId}
            and ${isOneOf(streamOutbox.id, part)}`,
        )
        .orderBy(streamOutbox.id)
      await within(ANSWERS_WITHIN_MS, announce(work.env, teamId, rows))
    }
    return { teamId, ids }
  } catch (error) {
    logFailure(error)
    return { teamId, ids: [] }
  }
}

async function deleteTold(work: Work, settled: readonly Settled[]): Promise<void> {
  const published = settled.filter(({ ids }) => ids.length > 0)
  await work.db.delete(streamOutbox).where(
    sql`(${streamOutbox.teamId}, ${streamOutbox.id}) in (
      select ${jsonFields<Settled>().teamId}, told.value
      from ${jsonRows(published)}, json_each(${jsonFields<Settled>("x", "->").ids}) told)`,
  )
}
