import { type SQL, sql } from "drizzle-orm"
import type { EmailRef } from "../queues/messages.ts"
import { nextPage } from "./next-batch.ts"

/** How many teams one claim serves. */
const TEAMS_A_CLAIM = 100

/**
 * Which emails a claim may take: common table expressions that end with `candidate (team_id, id,
 * position, team_turn, source)`, and the columns of the provider's row that say who was served last.
 */
export interface Choice {
  candidates(at: { provider: string; dueBy: number; room: SQL }): SQL
  served: SQL
  /**
   * Where it is known beforehand among which emails the claim is: selects the team and the id of
   * those that it has, so that the provider's row need not keep them where there is no rate.
   */
  claimed?(lease: number, claim: string): SQL
  /** The teams whose scheduled mail may have its time. */
  teams: readonly string[]
}

const NOBODY = sql`null as last_team, null as last_bulk_team, null as page`

/** These emails, and no others. */
export const theseEmails = (refs: readonly EmailRef[]): Choice => ({
  candidates: ({ dueBy }) => sql`candidate as (
    select e.team_id, e.id, x.key as position, 0 as team_turn, 'ref' as source
    from json_each(${JSON.stringify(refs)}) x
    cross join emails e on e.team_id = x.value ->> 'teamId' and e.id = x.value ->> 'emailId'
    where e.status in ('queued', 'scheduled', 'sending') and e.not_before <= ${dueBy}
  )`,
  served: NOBODY,
  claimed: () => sql`select value ->> 'teamId', value ->> 'emailId'
    from json_each(${JSON.stringify(refs)})`,
  teams: [],
})

/** The first few emails of each of these teams: a team with many leaves the rest to the backlog. */
export const firstOfTeams = (teams: readonly string[], count: number): Choice => ({
  candidates: ({ dueBy }) => sql`
    serving as materialized (
      select key as team_turn, value as team_id from json_each(${JSON.stringify(teams)})
      where ${isReady(0, sql`value`, dueBy)}
    ),
    ${poolOf(0, sql`${count}`, dueBy)}, ${candidatesOf(sql`pool`)}`,
  served: NOBODY,
  claimed: (lease, claim) => sql`select e.team_id, e.id from json_each(${JSON.stringify(teams)}) t
    cross join emails e on ${openOf(0)} and e.team_id = t.value and e.not_before = ${lease}
    where e.claimed_by = ${claim}`,
  teams,
})

/**
 * The backlog: teams take turns in the order of their ids, from the one after the team that was
 * served last. Each gives the same share of the claim, and the first email of each goes first.
 */
export const teamsInTurn = (teams: readonly string[]): Choice => ({
  candidates: ({ provider, dueBy, room }) => sql`
    ${servingOf(0, sql`(select last_team from provider_turns where provider = ${provider})`, dueBy)},
    ${poolOf(0, shareOf(room), dueBy)}, ${candidatesOf(sql`pool`)}`,
  served: sql`(select team_id from chosen order by team_turn desc limit 1) as last_team,
    null as last_bulk_team, null as page`,
  teams,
})

/** Campaigns take turns with their pages, and teams with the campaigns' emails that are tried again. */
export const campaignsInTurn: Choice = {
  candidates: ({ provider, dueBy, room }) => sql`
    ${servingOf(1, sql`(select last_bulk_team from provider_turns where provider = ${provider})`, dueBy)},
    ${poolOf(1, shareOf(room), dueBy)},
    next_page as materialized (${nextPage(provider)}),
    ${candidatesOf(sql`(
      select * from pool
      union all
      select 'page', 0, x.key, p.team_id, x.value, 0 from next_page p, json_each(p.emails) x
    )`)}`,
  served: sql`null as last_team,
    (select team_id from chosen where source = 'pool' order by team_turn desc limit 1) as last_bulk_team,
    (select json_array(team_id, campaign_id, id) from next_page
      where exists (select 1 from chosen where source = 'page')) as page`,
  teams: [],
}

const openOf = (line: number) => sql`e.line = ${sql.raw(String(line))} and e.due_at is not null`

const isReady = (line: number, team: SQL, dueBy: number) => sql`exists (
  select 1 from emails e where ${openOf(line)} and e.team_id = ${team} and e.not_before <= ${dueBy})`

/** The next team that has an open email in this line: one step in the index, however many it has. */
export const nextTeam = (line: number, team: SQL) => sql`(
  select e.team_id from emails e where ${openOf(line)} and e.team_id > ${team}
  order by e.team_id limit 1)`

/** One way round, or until there are enough teams with an email that is ready. */
function servingOf(line: number, lastServed: SQL, dueBy: number): SQL {
  const after = (team: SQL) => sql`coalesce(${nextTeam(line, team)}, ${nextTeam(line, sql`''`)})`
  const ready = isReady(line, sql`v.team_id`, dueBy)
  const isFirstVisit = sql`(v.team_turn = 0 or v.team_id <> v.first)`
  return sql`
    visited (team_turn, ready, team_id, first) as (
      select 0, 0, team_id, team_id
      from (select ${after(sql`coalesce(${lastServed}, '')`)} as team_id) where team_id is not null
      union all
      select v.team_turn + 1, v.ready + ${ready}, ${after(sql`v.team_id`)}, v.first
      from visited v where ${isFirstVisit} and v.ready + ${ready} < ${TEAMS_A_CLAIM}
    ),
    serving as materialized (
      select v.team_turn, v.team_id from visited v where ${isFirstVisit} and ${ready}
    )`
}

const shareOf = (room: SQL) =>
  sql`(select cast(max(1, (${room} + count(*) - 1) / max(1, count(*))) as integer) from serving)`

/** The first email of each team, then the second of each. */
export function inTurns<T extends { teamId: string; id: string }>(emails: readonly T[]): T[] {
  const sorted = emails.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [...Map.groupBy(sorted, ({ teamId }) => teamId).values()]
    .flatMap((members) => members.map((email, position) => ({ email, position })))
    .toSorted((a, b) => a.position - b.position)
    .map(({ email }) => email)
}

/** The oldest emails of each team that is served. */
const poolOf = (line: number, share: SQL, dueBy: number) => sql`
  pool as materialized (
    select 'pool' as source, s.team_turn, x.key as position, s.team_id, x.value ->> 0 as id,
      x.value ->> 1 as unanswered
    from serving s, json_each((
      select json_group_array(json_array(id, unanswered)) from (
        select e.id, e.unanswered from emails e
        where ${openOf(line)} and e.team_id = s.team_id and e.not_before <= ${dueBy}
        order by e.not_before limit ${share}
      )
    )) x
  )`

/** An email whose last attempt had no answer goes alone: a fatal one takes no neighbour along. */
const candidatesOf = (pool: SQL) => sql`
  ordered as materialized (
    select *, row_number() over (order by position, team_turn) as number from ${pool}
  ),
  candidate as (
    select team_id, id, number as position, team_turn, source from ordered
    where iif((select unanswered from ordered where number = 1) > 0, number = 1, unanswered = 0)
  )`
