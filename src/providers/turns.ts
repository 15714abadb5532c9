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
export interface Turns {
  /** How many messages may be claimed now. */
  room: SQL
  /** Takes `count` turns, after the claim and in its batch. */
  take(count: SQL): Query
  /** What `take` answered makes the wait before each message that was claimed. */
  open(taken: readonly unknown[], count: number): () => Promise<void>
}

export async function openTurns(
  work: Work,
  provider: Provider,
  { asked, bulk }: { asked: number; bulk: boolean },
): Promise<Turns> {
  const rate = work.settings.SEND_RATE ?? (await provider.sendRate?.()) ?? null
  if (rate === null) return unbounded(work, asked)
  const interval = 1000 / rate
  const ahead = Math.max(interval, bulk ? AHEAD_MS.bulk : AHEAD_MS.transactional)
  const line = sql.raw(bulk ? "next_turn" : "next_transactional")
  const now = work.now()
  const later = (turn: string) =>
    sql`${sql.raw(turn)} = max(${sql.raw(turn)}, ${now}) + excluded.next_turn - ${now}`
  return {
    room: sql`(select cast(max(0, ${ahead} - max(0, coalesce(max(${line}), 0) - ${now})) / ${interval} as integer)
      from provider_turns where provider = ${provider.name})`,
    take: (count) =>
      work.db.all(sql`
        insert into provider_turns (provider, next_turn, next_transactional)
        select ${provider.name}, ${now} + count * ${interval}, ${now} + count * ${bulk ? 0 : interval}
        from (select ${count} as count) where count > 0
        on conflict do update set ${later("next_turn")}
          ${bulk ? sql`` : sql`, ${later("next_transactional")}`}
        returning ${line} as nextTurn`),
    open([taken], count) {
      const { nextTurn } = (taken ?? { nextTurn: 0 }) as { nextTurn: number }
      let turn = nextTurn - count * interval
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
  take: () => work.db.all(sql`select 1 where false`),
  open: () => async () => {},
})
