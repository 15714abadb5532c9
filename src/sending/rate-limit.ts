import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import type { Provider } from "../providers/provider.ts"
import { isGoingOn } from "./campaign-mail.ts"
import type { Choice } from "./choose.ts"

/**
 * Who asks for a provider's rate: a team's first few emails, the backlog of transactional mail,
 * campaigns. Transactional mail stands in a line of its own; campaigns stand behind everybody.
 */
export type Lane = "first" | "backlog" | "bulk"

/**
 * How far ahead a lane's turns are given out. Short: whoever comes meanwhile waits so long. The
 * first few emails go at once where the line is empty; where it is not, they wait in the backlog,
 * in which the teams take turns.
 */
const AHEAD_MS: Record<Lane, number> = { first: 250, backlog: 1_000, bulk: 500 }

interface Asked {
  lane: Lane
  /** The most emails that one claim takes. */
  size: number
  /** They are known to be withdrawn: none needs the provider's rate. */
  unpaced: boolean
}

/** A provider's rate, as claims take turns of it. */
interface Turns {
  isBounded: boolean
  /** How many messages may be claimed now. */
  room: SQL
  /** When the first of them has its turn: to be read, like the room, before they are taken. */
  firstTurn: SQL
  /** Selects the emails that a claim chooses. */
  chosen(choice: Choice, dueBy: number): SQL
  /** Chooses the emails of the claim and takes a turn for each: before the claim, in its batch. */
  choose(claim: string, choice: Choice, dueBy: number): Query
  /** The wait before each message that is sent. */
  pace(firstTurn: number): () => Promise<void>
  /** How long until there is room again. */
  waitMs(firstTurn: number): number
}

export async function openTurns(
  work: Work,
  provider: Provider,
  { lane, size, unpaced }: Asked,
): Promise<Turns> {
  const rate = unpaced ? null : await rateOf(work, provider)
  const intervalMs = rate === null ? 0 : 1000 / rate
  const aheadMs = Math.max(intervalMs, AHEAD_MS[lane])
  const isBulk = lane === "bulk"
  const line = sql.raw(isBulk ? "next_turn" : "next_transactional")
  const now = work.now()
  // Without a rate the line stays as it is.
  const from = rate === null ? 0 : now
  const lineEnd = sql`(select max(coalesce(max(${line}), 0), ${now})
    from provider_turns where provider = ${provider.name})`
  const room =
    rate === null
      ? sql`${size}`
      : sql`min(${size}, cast(max(0, ${aheadMs} - (${lineEnd} - ${now})) / ${intervalMs} as integer))`
  const chosenOf = (choice: Choice, dueBy: number) => sql`
    ${choice.candidates({ provider: provider.name, dueBy, room })},
    chosen as (select * from candidate order by position limit ${room})`
  return {
    isBounded: rate !== null,
    room,
    firstTurn: rate === null ? sql`0` : lineEnd,
    chosen: (choice, dueBy) => sql`(with recursive ${chosenOf(choice, dueBy)}
      select team_id, id from chosen)`,
    choose: (claim, choice, dueBy) =>
      work.db.run(sql`
        insert into provider_turns (provider, next_turn, next_transactional, claimed_by, chosen,
          last_team, last_bulk_team, page)
        with recursive ${chosenOf(choice, dueBy)}
        select ${provider.name}, ${from} + time, ${from} + ${isBulk ? sql`0` : sql`time`}, ${claim},
          list, coalesce(last_team, ''), coalesce(last_bulk_team, ''), page
        from (
          select list, ${isBulk ? goingOn : sql`json_array_length(list)`} * ${intervalMs} as time
          from (select json_group_array(json_array(team_id, id)) as list from chosen)
        ), (select ${choice.served}) where list <> '[]'
        on conflict do update set
          next_turn = max(next_turn, ${from}) + excluded.next_turn - ${from},
          next_transactional = max(next_transactional, ${from}) + excluded.next_transactional - ${from},
          claimed_by = excluded.claimed_by, chosen = excluded.chosen,
          last_team = iif(excluded.last_team = '', last_team, excluded.last_team),
          last_bulk_team = iif(excluded.last_bulk_team = '', last_bulk_team, excluded.last_bulk_team),
          page = coalesce(excluded.page, page)`),
    pace(firstTurn) {
      let turn = firstTurn
      return async () => {
        const wait = turn - work.now()
        turn += intervalMs
        if (wait > 0) await scheduler.wait(wait)
      }
    },
    waitMs: (firstTurn) => Math.max(0, firstTurn - work.now() - aheadMs + intervalMs),
  }
}

/** What of a cancelled campaign is withdrawn takes no turn. */
const goingOn = sql`(select count(*) from chosen c
  cross join emails e on e.team_id = c.team_id and e.id = c.id and ${isGoingOn})`

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
