import { inArray, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { campaignBatches } from "../../campaigns/table.ts"
import { columnsOf } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import type { EmailRef } from "../messages.ts"
import { OPEN_STATUSES } from "../statuses.ts"
import { emails } from "../table.ts"
import {
  isOpen,
  nextTeam,
  OPEN_EMAILS,
  PRIORITIES,
  type Priority,
  placeholder,
} from "./open-emails.ts"
import { providerSlots } from "./table.ts"

const TEAMS_A_CLAIM = 100

/** Which emails a claim may take. */
export interface Choice {
  rule: ChoiceRule
  /** The teams whose scheduled mail may be due. */
  teams: readonly string[]
  refs?: readonly EmailRef[]
  share?: number
}

/** The part of a choice that never changes: its SQL. */
export interface ChoiceRule {
  /** Table expressions that end with `candidate`: the emails that may be chosen. */
  candidates(room: SQL): SQL
  /** Selects one row: who was served last, for the provider's row. */
  lastServed: SQL
  /**
   * Selects the team and the id of the claimed emails. With it, a claim without a rate limit need
   * not keep its choice in the provider's row.
   */
  claimed?: SQL
}

export const lastServed = columnsOf<"last_team" | "last_bulk_team" | "last_batch">("last_served")
const NOBODY = sql`select null, null, null`

type Chosen = "team_id" | "id" | "position" | "team_turn" | "source"
export const chosen = columnsOf<Chosen>("chosen")
const readyTeams = columnsOf<"team_turn" | "team_id">("ready_teams")
const ordered = columnsOf<Chosen | "unanswered" | "number">("ordered")

type Batch = "team_id" | "campaign_id" | "id" | "emails"
const walk = columnsOf<Batch>("walk")
const nextBatch = columnsOf<Batch>("next_batch")
const ref = jsonFields<EmailRef>()

const THESE_EMAILS: ChoiceRule = {
  candidates: () => sql`candidate (team_id, id, position, team_turn, source) as (
    select ${emails.teamId}, ${emails.id}, x.key, 0, 'ref'
    from ${jsonRows(placeholder.refs)}
    cross join emails on ${emails.teamId} = ${ref.teamId} and ${emails.id} = ${ref.emailId}
    where ${inArray(emails.status, OPEN_STATUSES)} and ${emails.notBefore} <= ${placeholder.dueBy}
  )`,
  lastServed: NOBODY,
  claimed: sql`select ${ref.teamId}, ${ref.emailId} from ${jsonRows(placeholder.refs)}`,
}

export const theseEmails = (refs: readonly EmailRef[]): Choice => ({
  rule: THESE_EMAILS,
  teams: [],
  refs,
})

const FIRST_OF_TEAMS: ChoiceRule = {
  candidates: () => sql`
    ready_teams (team_turn, team_id) as materialized (
      select key, value from json_each(${placeholder.teams})
      where ${isReady(PRIORITIES.transactional, sql`value`)}
    ),
    ${poolOf(PRIORITIES.transactional, sql`${placeholder.share}`)}, ${candidatesOf(sql`pool`)}`,
  lastServed: NOBODY,
  claimed: sql`
    select ${emails.teamId}, ${emails.id} from json_each(${placeholder.teams}) t
    cross join ${OPEN_EMAILS} on ${isOpen(PRIORITIES.transactional)} and ${emails.teamId} = t.value
      and ${emails.notBefore} = ${placeholder.lease}
    where ${emails.claimedBy} = ${placeholder.claim}`,
}

/** The first few emails of each of these teams. The other emails wait in the backlog. */
export const firstOfTeams = (teams: readonly string[], share: number): Choice => ({
  rule: FIRST_OF_TEAMS,
  teams,
  share,
})

const TEAMS_IN_TURN: ChoiceRule = {
  candidates: (room) => sql`
    ${readyTeamsAfter(PRIORITIES.transactional, lastServedFrom(providerSlots.lastTeam))},
    ${poolOf(PRIORITIES.transactional, evenShare(room))}, ${candidatesOf(sql`pool`)}`,
  lastServed: sql`
    select (select ${chosen.team_id} from chosen order by ${chosen.team_turn} desc limit 1), null, null`,
}

/**
 * The backlog. Teams take turns in the order of their ids, starting after the team that was served
 * last. Each team gets the same share of the claim, and the first email of each goes first.
 */
export const teamsInTurn = (teams: readonly string[]): Choice => ({ rule: TEAMS_IN_TURN, teams })

/** Campaigns take turns with their batches; teams take turns with the retries of campaign mail. */
export const campaignsInTurn: Choice = {
  rule: {
    candidates: (room) => sql`
      ${readyTeamsAfter(PRIORITIES.bulk, lastServedFrom(providerSlots.lastBulkTeam))},
      ${poolOf(PRIORITIES.bulk, evenShare(room))},
      ${findNextBatch()},
      ${candidatesOf(sql`(
        select * from pool
        union all
        select 'batch', 0, x.key, ${nextBatch.team_id}, x.value, 0
        from next_batch, json_each(${nextBatch.emails}) x
      )`)}`,
    lastServed: sql`
      select null,
        (select ${chosen.team_id} from chosen where ${chosen.source} = 'pool'
          order by ${chosen.team_turn} desc limit 1),
        (select json_array(${nextBatch.team_id}, ${nextBatch.campaign_id}, ${nextBatch.id}) from next_batch
          where exists (select 1 from chosen where ${chosen.source} = 'batch'))`,
  },
  teams: [],
}

const lastServedFrom = (column: SQLiteColumn) => sql`(
  select ${column} from ${providerSlots} where ${providerSlots.provider} = ${placeholder.provider})`

/** A fenced team takes no slot from the others. */
const isReady = (priority: Priority, team: SQL) => sql`(exists (
  select 1 from ${OPEN_EMAILS}
  where ${isOpen(priority)} and ${emails.teamId} = ${team} and ${emails.notBefore} <= ${placeholder.dueBy})
  and ${team} not in (${FENCED_TEAMS}))`

/** The teams with a ready email: visits each open team once, or stops when there are enough. */
function readyTeamsAfter(priority: Priority, last: SQL): SQL {
  const after = (team: SQL) =>
    sql`coalesce(${nextTeam(priority, team)}, ${nextTeam(priority, sql`''`)})`
  const ready = isReady(priority, sql`visited.team_id`)
  const isFirstVisit = sql`(visited.team_turn = 0 or visited.team_id <> visited.first)`
  return sql`
    visited (team_turn, ready, team_id, first) as (
      select 0, 0, team_id, team_id
      from (select ${after(sql`coalesce(${last}, '')`)} as team_id) where team_id is not null
      union all
      select visited.team_turn + 1, visited.ready + ${ready}, ${after(sql`visited.team_id`)}, visited.first
      from visited where ${isFirstVisit} and visited.ready + ${ready} < ${TEAMS_A_CLAIM}
    ),
    ready_teams (team_turn, team_id) as materialized (
      select visited.team_turn, visited.team_id from visited where ${isFirstVisit} and ${ready}
    )`
}

const evenShare = (room: SQL) =>
  sql`(select cast(max(1, (${room} + count(*) - 1) / max(1, count(*))) as integer) from ready_teams)`

/** Puts the first email of each team first, then the second of each. */
export function interleaveTeams<T extends { teamId: string; id: string }>(
  emails: readonly T[],
): T[] {
  const sorted = emails.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [...Map.groupBy(sorted, ({ teamId }) => teamId).values()]
    .flatMap((members) => members.map((email, position) => ({ email, position })))
    .toSorted((a, b) => a.position - b.position)
    .map(({ email }) => email)
}

const poolOf = (priority: Priority, share: SQL) => sql`
  pool (source, team_turn, position, team_id, id, unanswered) as materialized (
    select 'pool', ${readyTeams.team_turn}, x.key, ${readyTeams.team_id}, x.value ->> 0, x.value ->> 1
    from ready_teams cross join ${limitedPerOwner(
      sql`select json_array(${emails.id}, ${emails.unanswered}) as value from ${OPEN_EMAILS}
        where ${isOpen(priority)} and ${emails.teamId} = ${readyTeams.team_id}
          and ${emails.notBefore} <= ${placeholder.dueBy}
        order by ${emails.notBefore}`,
      share,
    )} x
  )`

/**
 * `next_batch`: the campaign batch after the one that was served last, across all campaigns. The walk
 * visits one batch of each fenced team, until it finds a batch of another team or has been everywhere.
 */
function findNextBatch(): SQL {
  const last = (part: number) => sql`(
    select coalesce(max(${providerSlots.lastBatch} ->> ${sql.raw(String(part))}), '')
    from ${providerSlots} where ${providerSlots.provider} = ${placeholder.provider})`
  const { teamId, campaignId, id, emails } = campaignBatches
  const key = sql`${teamId}, ${campaignId}, ${id}`
  const first = sql`order by ${key} limit 1`
  const teamAfter = sql`(select min(${teamId}) from ${campaignBatches} where ${teamId} > ${walk.team_id})`
  return sql`
    walk (team_id, campaign_id, id, emails) as (
      select team_id, campaign_id, id, emails from (
        select * from (select 0 as wrapped, * from ${campaignBatches}
          where (${teamId}, ${campaignId}) > (${last(0)}, ${last(1)}) ${first})
        union all
        select * from (select 1 as wrapped, * from ${campaignBatches} ${first})
        order by wrapped limit 1)
      union
      select ${key}, ${emails} from walk cross join ${campaignBatches}
        on (${key}) = (select ${key} from ${campaignBatches}
          where ${teamId} >= coalesce(${teamAfter}, '') ${first})
      where ${walk.team_id} in (${FENCED_TEAMS})
    ),
    next_batch as materialized (
      select * from walk where ${walk.team_id} not in (${FENCED_TEAMS}))`
}

/** An email whose last attempt was unanswered is claimed alone, in case it breaks its consumer. */
const candidatesOf = (pool: SQL) => sql`
  ordered as materialized (
    select *, row_number() over (order by position, team_turn) as number from ${pool}
  ),
  candidate (team_id, id, position, team_turn, source) as (
    select ${ordered.team_id}, ${ordered.id}, ${ordered.number}, ${ordered.team_turn}, ${ordered.source}
    from ordered where iif(
      (select ${ordered.unanswered} from ordered where ${ordered.number} = 1) > 0,
      ${ordered.number} = 1, ${ordered.unanswered} = 0)
  )`
