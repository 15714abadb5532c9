import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import type { Provider } from "./provider.ts"

/**
 * How far ahead turns are given out. Campaigns get those of the next second only, and none while
 * transactional mail has taken more than that.
 */
const AHEAD_MS = { transactional: 10_000, bulk: 1_000 }

/** A provider's rate, as a claim takes turns of it: every consumer's messages stand in one line. */
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
  const now = work.now()
  return {
    room: sql`(select cast(max(0, ${ahead} - max(0, coalesce(max(next_turn), 0) - ${now})) / ${interval} as integer)
      from provider_turns where provider = ${provider.name})`,
    take: (count) =>
      work.db.all(sql`
        insert into provider_turns (provider, next_turn)
        select ${provider.name}, ${now} + count * ${interval} from (select ${count} as count)
        where count > 0
        on conflict do update set next_turn = max(next_turn, ${now}) + excluded.next_turn - ${now}
        returning next_turn as nextTurn`),
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
