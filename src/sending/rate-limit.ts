import { type SQL, sql } from "drizzle-orm"
import { e } from "../emails/aliases.ts"
import type { Work } from "../env.ts"
import type { Provider } from "../providers/provider.ts"
import { isGoingOn } from "./campaign-mail.ts"
import type { ChoiceRule } from "./choose.ts"
import { type ClaimValues, p } from "./claim-places.ts"
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
  values: Pick<ClaimValues, "size" | "intervalMs" | "aheadMs" | "slotsFrom">
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
  return {
    isBounded: rate !== null,
    values: { size, intervalMs, aheadMs, slotsFrom: rate === null ? 0 : work.now() },
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

/** The text of a claim's slots. */
export interface SlotText {
  /** How many messages may be claimed now. */
  room: SQL
  /** The time of the first free slot. Read it and the room before `takeSlots`. */
  firstSlot: SQL
  isBulk: boolean
}

export function slotText({ isBounded, isBulk }: { isBounded: boolean; isBulk: boolean }): SlotText {
  const line = isBulk ? providerTurns.nextTurn : providerTurns.nextTransactional
  const lineEnd = sql`(select max(coalesce(max(${line}), 0), ${p.now})
    from ${providerTurns} where ${providerTurns.provider} = ${p.provider})`
  const left = sql`max(0, ${p.aheadMs} - (${lineEnd} - ${p.now})) / ${p.intervalMs}`
  return {
    room: isBounded ? sql`min(${p.size}, cast(${left} as integer))` : sql`${p.size}`,
    firstSlot: isBounded ? lineEnd : sql`0`,
    isBulk,
  }
}

const withChosen = ({ candidates }: ChoiceRule, { room }: SlotText) => sql`
  with recursive ${candidates(room)},
  chosen as (select * from candidate order by position limit ${room})`

/** Selects the emails that a claim chooses. */
export const selectChoice = (rule: ChoiceRule, slots: SlotText) =>
  sql`(${withChosen(rule, slots)} select team_id, id from chosen)`

/** Chooses the emails of a claim and takes a slot for each, earlier in the claim's batch. */
export const takeSlots = ({ db }: Pick<Work, "db">, rule: ChoiceRule, slots: SlotText) =>
  db.run(sql`
    insert into provider_turns (provider, next_turn, next_transactional, claimed_by, chosen,
      last_team, last_bulk_team, page)
    ${withChosen(rule, slots)}
    select ${p.provider}, ${p.slotsFrom} + time,
      ${p.slotsFrom} + ${slots.isBulk ? sql`0` : sql`time`}, ${p.claim},
      list, coalesce(last_team, ''), coalesce(last_bulk_team, ''), page
    from (
      select list, ${slots.isBulk ? goingOn : sql`json_array_length(list)`} * ${p.intervalMs} as time
      from (select json_group_array(json_array(team_id, id)) as list from chosen)
    ), (select ${rule.served}) where list <> '[]'
    on conflict do update set
      next_turn = max(next_turn, ${p.slotsFrom}) + excluded.next_turn - ${p.slotsFrom},
      next_transactional =
        max(next_transactional, ${p.slotsFrom}) + excluded.next_transactional - ${p.slotsFrom},
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
