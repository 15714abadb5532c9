import { type Column, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { isGoingOn } from "../../campaigns/sending/campaign-mail.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import type { Provider } from "../../providers/provider.ts"
import { e } from "../table.ts"
import { type ChoiceRule, chosen, served } from "./choose.ts"
import { type ClaimValues, p } from "./open-emails.ts"
import { allowedByPause } from "./provider-pause.ts"
import { providerSlots } from "./table.ts"

/**
 * Who asks for slots: a team's first few emails, the backlog of transactional mail, or campaigns.
 * Transactional mail has a line of its own. Campaigns wait behind everybody.
 */
export type SlotShare = "first" | "backlog" | "bulk"

/**
 * How far ahead a lane takes slots. A new email waits up to this long, so the time is short. The
 * first emails of a team are sent at once while the line is short; otherwise they join the backlog,
 * where teams take turns.
 */
const AHEAD_MS: Record<SlotShare, number> = { first: 250, backlog: 1_000, bulk: 500 }

/** No line is longer than this, in milliseconds: a clock that was ahead has made a longer one. */
const LONGEST_LINE = sql`5000 + 2 * ${p.intervalMs}`

const inLine = (slot: SQLWrapper) =>
  sql`iif(${slot} > ${p.now} + ${LONGEST_LINE}, ${p.now}, ${slot})`

interface Asked {
  lane: SlotShare
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

interface SlotText {
  /** How many messages may be claimed now. */
  room: SQL
  /** The time of the first free slot. Read it and the room before `takeSlots`. */
  firstSlot: SQL
  isBulk: boolean
}

interface SlotKind {
  isBounded: boolean
  isBulk: boolean
  isPaced: boolean
}

export function slotText({ isBounded, isBulk, isPaced }: SlotKind): SlotText {
  const line = isBulk ? providerSlots.nextSlot : providerSlots.nextTransactionalSlot
  const lineEnd = sql`(select max(coalesce(${inLine(sql`max(${line})`)}, 0), ${p.now})
    from ${providerSlots} where ${providerSlots.provider} = ${p.provider})`
  const allowed = isPaced ? allowedByPause : sql`${p.size}`
  const left = sql`max(0, ${p.aheadMs} - (${lineEnd} - ${p.now})) / ${p.intervalMs}`
  return {
    room: isBounded ? sql`min(${allowed}, cast(${left} as integer))` : allowed,
    firstSlot: isBounded ? lineEnd : sql`0`,
    isBulk,
  }
}

const withChosen = ({ candidates }: ChoiceRule, { room }: SlotText) => sql`
  with recursive ${candidates(room)},
  chosen as (select * from candidate order by position limit ${room})`

export const selectChoice = (rule: ChoiceRule, slots: SlotText) =>
  sql`(${withChosen(rule, slots)} select ${chosen.team_id}, ${chosen.id} from chosen)`

/** Chooses the emails of a claim and takes a slot for each, earlier in the claim's batch. */
export const takeSlots = ({ db }: Pick<Work, "db">, rule: ChoiceRule, slots: SlotText) =>
  db.run(sql`
    ${insertInto(
      providerSlots,
      {
        provider: p.provider,
        nextSlot: sql`${p.slotsFrom} + time`,
        nextTransactionalSlot: sql`${p.slotsFrom} + ${slots.isBulk ? sql`0` : sql`time`}`,
        claimedBy: p.claim,
        chosen: sql`list`,
        lastTeam: sql`coalesce(${served.last_team}, '')`,
        lastBulkTeam: sql`coalesce(${served.last_bulk_team}, '')`,
        lastBatch: served.last_batch,
      },
      sql`from (
        select list,
          ${slots.isBulk ? goingOn : sql`json_array_length(list)`} * ${p.intervalMs} as time
        from (
          select json_group_array(json_array(${chosen.team_id}, ${chosen.id})) as list from chosen)
      ), served where list <> '[]'`,
      {
        tables: sql`${withChosen(rule, slots)}, served (last_team, last_bulk_team, last_batch) as (${rule.served})`,
      },
    )}
    on conflict do update set ${assignments(providerSlots, {
      nextSlot: addedTime(providerSlots.nextSlot),
      nextTransactionalSlot: addedTime(providerSlots.nextTransactionalSlot),
      claimedBy: excluded(providerSlots.claimedBy),
      chosen: excluded(providerSlots.chosen),
      lastTeam: unlessEmpty(providerSlots.lastTeam),
      lastBulkTeam: unlessEmpty(providerSlots.lastBulkTeam),
      lastBatch: sql`coalesce(${excluded(providerSlots.lastBatch)}, ${providerSlots.lastBatch})`,
    })}`)

const addedTime = (column: Column) =>
  sql`max(${inLine(column)}, ${p.slotsFrom}) + ${excluded(column)} - ${p.slotsFrom}`
const unlessEmpty = (column: Column) =>
  sql`iif(${excluded(column)} = '', ${column}, ${excluded(column)})`

/** Emails of a cancelled campaign take no slot. */
const goingOn = sql`(select count(*) from chosen
  cross join emails e on ${e.teamId} = ${chosen.team_id} and ${e.id} = ${chosen.id} and ${isGoingOn})`

/** `SEND_RATE` and `BULK_SEND_RATE` override the provider's own quota. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
