import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import type { Provider } from "./provider.ts"

/** How far ahead turns are given out; a provider bears it when transactional mail passes so many. */
const AHEAD_MS = { transactional: 10_000, bulk: 500 }

/**
 * A provider's rate, as claims take turns of it. Transactional mail stands in a line of its own;
 * campaigns stand behind everybody.
 */
interface Turns {
  /** How many messages may be claimed now. */
  room: SQL
  /** When the first of them has its turn: to be read, like the room, before they are taken. */
  firstTurn: SQL
  /** Takes `count` turns, after the claim and in its batch. */
  take(count: SQL): Query
  /** The wait before each message that is sent. */
  pace(firstTurn: number): () => Promise<void>
}

export async function openTurns(
  work: Work,
  provider: Provider,
  { asked, bulk, unpaced }: { asked: number; bulk: boolean; unpaced: boolean },
): Promise<Turns> {
  const rate = unpaced ? null : await rateOf(work, provider)
  if (rate === null) return unbounded(work, asked)
  const interval = 1000 / rate
  const ahead = Math.max(interval, bulk ? AHEAD_MS.bulk : AHEAD_MS.transactional)
  const line = sql.raw(bulk ? "next_turn" : "next_transactional")
  const now = work.now()
  return {
    room: sql`(select cast(max(0, ${ahead} - max(0, coalesce(max(${line}), 0) - ${now})) / ${interval} as integer)
      from provider_turns where provider = ${provider.name})`,
    firstTurn: sql`(select max(coalesce(max(${line}), 0), ${now})
      from provider_turns where provider = ${provider.name})`,
    take: (count) =>
      work.db.run(sql`
        insert into provider_turns (provider, next_turn, next_transactional)
        select ${provider.name}, ${now} + time, ${now} + ${bulk ? sql`0` : sql`time`}
        from (select ${count} * ${interval} as time) where time > 0
        on conflict do update set
          next_turn = max(next_turn, ${now}) + excluded.next_turn - ${now},
          next_transactional = max(next_transactional, ${now}) + excluded.next_transactional - ${now}`),
    pace(firstTurn) {
      let turn = firstTurn
      return async () => {
        const wait = turn - work.now()
        turn += interval
        if (wait > 0) await scheduler.wait(wait)
      }
    },
  }
}

const unbounded = (work: Work, asked: number): Turns => ({
  room: sql`${asked}`,
  firstTurn: sql`0`,
  take: () => work.db.run(sql`select 1 where false`),
  pace: () => async () => {},
})

/** What the operator says of a provider goes before what it says itself. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
