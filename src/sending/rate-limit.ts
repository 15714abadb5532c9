import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import type { Provider } from "../providers/provider.ts"
import { isGoingOn } from "./campaign-mail.ts"
import type { Choice } from "./choose.ts"
import { e } from "./open-emails.ts"
import { providerTurns } from "./table.ts"

/**
 * Who asks for slots: a team's first few emails, the backlog of transactional mail, or campaigns.
 * Transactional mail has a line of its own. Campaigns wait behind everybody.
 */
export type Lane = "first" | "backlog" | "bulk"

/**
 * How far ahead a lane takes slots. A newcomer waits as long, so it is short. The first few emails
 * of a team go at once while the line is short; otherwise they wait in the backlog, where teams
 * take turns.
 */
const AHEAD_MS: Record<Lane, number> = { first: 250, backlog: 1_000, bulk: 500 }

interface Asked {
  lane: Lane
  /** The most emails that one claim takes. */
  size: number
  /** No email goes to the provider: all are known to be withdrawn. */
  unpaced: boolean
}

/** The rate limit of a provider: each email that is sent takes one slot. */
interface Slots {
  isBounded: boolean
  /** How many messages may be claimed now. */
  room: SQL
  /** The time of the first free slot. Read it and the room before `choose` takes the slots. */
  firstSlot: SQL
  /** Selects the emails that a claim chooses. */
  chosen(choice: Choice, dueBy: number): SQL
  /** Chooses the emails of a claim and takes a slot for each, earlier in the claim's batch. */
  choose(claim: string, choice: Choice, dueBy: number): Query
  /** Waits for the slot of the next message. */
  pace(firstSlot: number): () => Promise<void>
  /** How long until there is room again. */
  waitMs(firstSlot: number): number
}

export async function slotsOf(
  work: Work,
  provider: Provider,
  { lane, size, unpaced }: Asked,
): Promise<Slots> {
  const rate = unpaced ? null : await rateOf(work, provider)
  const intervalMs = rate === null ? 0 : 1000 / rate
  const aheadMs = Math.max(intervalMs, AHEAD_MS[lane])
  const isBulk = lane === "bulk"
  const line = isBulk ? providerTurns.nextTurn : providerTurns.nextTransactional
  const now = work.now()
  const lineEnd = sql`(select max(coalesce(max(${line}), 0), ${now})
    from ${providerTurns} where ${providerTurns.provider} = ${provider.name})`
  const room =
    rate === null
      ? sql`${size}`
      : sql`min(${size}, cast(max(0, ${aheadMs} - (${lineEnd} - ${now})) / ${intervalMs} as integer))`
  const withChosen = (choice: Choice, dueBy: number) => sql`
    with recursive ${choice.candidates({ provider: provider.name, dueBy, room })},
    chosen as (select * from candidate order by position limit ${room})`
  return {
    isBounded: rate !== null,
    room,
    firstSlot: rate === null ? sql`0` : lineEnd,
    chosen: (choice, dueBy) => sql`(${withChosen(choice, dueBy)} select team_id, id from chosen)`,
    choose: (claim, choice, dueBy) =>
      takeSlots(work, {
        withChosen: withChosen(choice, dueBy),
        provider: provider.name,
        claim,
        served: choice.served,
        isBulk,
        from: rate === null ? 0 : now,
        intervalMs,
      }),
    pace(firstSlot) {
      let turn = firstSlot
      return async () => {
        const wait = turn - work.now()
        turn += intervalMs
        if (wait > 0) await scheduler.wait(wait)
      }
    },
    waitMs: (firstSlot) => Math.max(0, firstSlot - work.now() - aheadMs + intervalMs),
  }
}

interface Taking {
  withChosen: SQL
  provider: string
  claim: string
  served: SQL
  isBulk: boolean
  /** The slots are after this time; 0 without a rate, which leaves the line as it is. */
  from: number
  intervalMs: number
}

const takeSlots = (
  work: Work,
  { withChosen, provider, claim, served, isBulk, from, intervalMs }: Taking,
) =>
  work.db.run(sql`
    insert into provider_turns (provider, next_turn, next_transactional, claimed_by, chosen,
      last_team, last_bulk_team, page)
    ${withChosen}
    select ${provider}, ${from} + time, ${from} + ${isBulk ? sql`0` : sql`time`}, ${claim},
      list, coalesce(last_team, ''), coalesce(last_bulk_team, ''), page
    from (
      select list, ${isBulk ? goingOn : sql`json_array_length(list)`} * ${intervalMs} as time
      from (select json_group_array(json_array(team_id, id)) as list from chosen)
    ), (select ${served}) where list <> '[]'
    on conflict do update set
      next_turn = max(next_turn, ${from}) + excluded.next_turn - ${from},
      next_transactional = max(next_transactional, ${from}) + excluded.next_transactional - ${from},
      claimed_by = excluded.claimed_by, chosen = excluded.chosen,
      last_team = iif(excluded.last_team = '', last_team, excluded.last_team),
      last_bulk_team = iif(excluded.last_bulk_team = '', last_bulk_team, excluded.last_bulk_team),
      page = coalesce(excluded.page, page)`)

/** Emails of a cancelled campaign take no slot. */
const goingOn = sql`(select count(*) from chosen c
  cross join emails e on ${e.teamId} = c.team_id and ${e.id} = c.id and ${isGoingOn})`

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
