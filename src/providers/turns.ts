import { type SQL, sql } from "drizzle-orm"
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
  /** Takes `count` turns, after the claim and in its batch; answers nothing where there is no rate. */
  take(count: SQL): ReturnType<typeof selectTaken>
  /** What `take` answered makes the wait before each message that is sent. */
  pace(taken: Taken | undefined): () => Promise<void>
}

interface Taken {
  firstTurn: number
}

const selectTaken = (work: Work, statement: SQL) => work.db.all<Taken>(statement)

export async function openTurns(
  work: Work,
  provider: Provider,
  { asked, bulk }: { asked: number; bulk: boolean },
): Promise<Turns> {
  const rate = await rateOf(work, provider)
  if (rate === null) return unbounded(work, asked)
  const interval = 1000 / rate
  const ahead = Math.max(interval, bulk ? AHEAD_MS.bulk : AHEAD_MS.transactional)
  const line = sql.raw(bulk ? "next_turn" : "next_transactional")
  const now = work.now()
  return {
    room: sql`(select cast(max(0, ${ahead} - max(0, coalesce(max(${line}), 0) - ${now})) / ${interval} as integer)
      from provider_turns where provider = ${provider.name})`,
    take: (count) =>
      selectTaken(
        work,
        sql`
          insert into provider_turns (provider, next_turn, next_transactional)
          select ${provider.name}, ${now} + time, ${now} + ${bulk ? sql`0` : sql`time`}
          from (select ${count} * ${interval} as time) where time > 0
          on conflict do update set
            next_turn = max(next_turn, ${now}) + excluded.next_turn - ${now},
            next_transactional = max(next_transactional, ${now}) + excluded.next_transactional - ${now}
          returning ${line} - ${count} * ${interval} as firstTurn`,
      ),
    pace({ firstTurn } = { firstTurn: now }) {
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
  take: () => selectTaken(work, sql`select 1 where false`),
  pace: () => async () => {},
})

/** What the operator says of a provider goes before what it says itself. */
async function rateOf({ settings }: Work, provider: Provider): Promise<number | null> {
  const { PROVIDER, SEND_RATE, BULK_SEND_RATE } = settings
  const said = provider.name === PROVIDER ? SEND_RATE : BULK_SEND_RATE
  return said ?? (await provider.sendRate?.()) ?? null
}
