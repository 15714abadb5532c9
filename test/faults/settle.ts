import { env } from "cloudflare:workers"
import { timeOf } from "../../src/lib/id.ts"
import { databasesOf } from "../support/installation.ts"
import type { Action } from "./actions.ts"
import { QUEUE_NAMES } from "./faulty-queues.ts"
import type { World } from "./world.ts"

const MINUTE_MS = 60_000
const FAULTY_MS = 5 * MINUTE_MS
/** Attempts at a webhook are eight hours apart at most. */
const SWEEPS_AT_MOST = 150
/** The next consumer begins after one that took longer. */
const LONG_MS = 1_000
/** A provider is away for hours, and asked every minute. So is another dependency. */
const SWEEPS_WITH_OUTAGES = 250
/** Sweeps come less often meanwhile, so that hours take little of the test's time. */
const AWAY_STEP_MS = 10 * MINUTE_MS
/** What waited for the end of an outage is done after a few sweeps. */
const AFTER_OUTAGE_MS = 5 * MINUTE_MS

/** The actions and some minutes after them, each beside consumers and cron, while faults happen. */
export async function runFaulty(
  world: World,
  actions: readonly Action[],
  teamIds: readonly string[],
): Promise<void> {
  const { clock, draw } = world
  const until = clock.now() + FAULTY_MS
  let swept = clock.now()
  world.begin()
  for (let round = 0; round < actions.length || clock.now() < until; round++) {
    const isCronDue = clock.now() >= swept + MINUTE_MS
    if (isCronDue) swept = clock.now()
    const action = actions[round]
    const consumed = await Promise.all([
      action && world.actions.start(action).then(() => true),
      isCronDue && world.cron().then(() => true),
      world.report().then(() => false),
      ...consumers(world, round),
      world.evict(teamIds).then(() => false),
    ])
    const isBusy = consumed.some(Boolean)
    await world.pass(Math.round(draw(`round ${round}`) * (isBusy ? 300 : 5_000)))
  }
  await world.stop()
}

/** One or two consumers of each queue side by side. */
const consumers = (world: World, round: number) =>
  QUEUE_NAMES.flatMap((name) => {
    const count = Math.floor(world.draw(`consumers ${round} ${name}`) * 3)
    return Array.from({ length: count }, () => world.consume(name))
  })

/** Without faults: queues and the minute's sweep, until nothing is left to do. */
export async function settle(world: World): Promise<void> {
  const { clock, queues, provider, outages } = world
  const sweeps = provider || outages ? SWEEPS_WITH_OUTAGES : SWEEPS_AT_MOST
  for (let sweep = 0; sweep < sweeps; sweep++) {
    await world.cron()
    await world.report()
    await drain(world)
    const quietAt = outages ? outages.lastEndsAt + AFTER_OUTAGE_MS : 0
    const dueAt = [
      ...(await readOpen()).map(({ dueAt }) => dueAt),
      queues.nextDueAt(),
      provider?.nextReportAt() ?? Number.POSITIVE_INFINITY,
      world.actions.nextAt(),
      clock.now() < quietAt ? quietAt : Number.POSITIVE_INFINITY,
    ]
    const next = Math.min(...dueAt)
    if (next === Number.POSITIVE_INFINITY) return
    await world.pass(Math.max(stepOf(world), next - clock.now()))
  }
}

/** A minute, or longer while something is away. A report that a consumer could take does not wait so long. */
function stepOf({ clock, queues, provider, outages }: World): number {
  if (!provider?.isAway() && !outages?.isAway()) return MINUTE_MS
  if (outages?.isOut("the queues")) return AWAY_STEP_MS
  const untilReport = queues.nextDueAt(["OUTCOMES"]) - clock.now()
  return Math.min(Math.max(untilReport, MINUTE_MS), AWAY_STEP_MS)
}

/** Where consumers have work for more than a minute, such as behind a fence, sweeps come meanwhile. */
async function drain(world: World): Promise<void> {
  let sweptAt = world.clock.now()
  let found = true
  while (found) {
    found = false
    for (const name of QUEUE_NAMES) {
      while (await world.consume(name)) {
        found = true
        if (world.longestMs() > LONG_MS) await world.pass(0)
        if (world.clock.now() < sweptAt + MINUTE_MS) continue
        sweptAt = world.clock.now()
        await world.cron()
      }
    }
  }
}

const TOLD_WITHIN_MS = 15_000

const OPEN = {
  "emails due": "select not_before as due_at from emails where due_at is not null",
  "pending deliveries": `select coalesce(due_at, not_before) as due_at from deliveries
    where state = 'pending' or due_at is not null`,
  "webhooks whose events wait": `select 0 as due_at from webhooks w
    join event_sequences s on s.team_id = w.team_id where w.enabled and w.deliver_until < s.last`,
  "campaigns due": "select due_at from campaign_runs where due_at is not null",
  "campaign batches": "select 0 as due_at from campaign_batches",
  "runs of sequences": "select due_at from sequence_runs where due_at is not null",
  "walks through runs": "select look_at as due_at from sequences where wake is not null",
  "mail that came": "select leased_until as due_at from received_emails where parsed is null",
  "held batches": "select 0 as due_at from held_campaign_batches",
  "deleted teams": `select deleted_at + 3600000 as due_at from deleted_teams`,
  erasures: "select 0 as due_at from erasures",
  "repeats of removals": "select 0 as due_at from removal_repeats where finished_at is null",
  "moves under way": "select 0 as due_at from team_moves where phase <> 'kept'",
  "sources of moves": "select delete_at as due_at from team_moves where phase = 'kept'",
  "outcomes due": `select outcomes_due_at as due_at from sandbox_messages
    where outcomes_due_at is not null`,
}

/** What the databases and R2 have left to do. */
export async function readOpen(): Promise<Open[]> {
  const inDatabases = await Promise.all(
    databasesOf(env).flatMap((db) => [readOpenOf(db), readUntoldOf(db)]),
  )
  const { objects: letters } = await env.CONTENT.list({ prefix: "dead-letters/" })
  return letters.length > 0
    ? [...inDatabases.flat(), { what: "dead letters in R2", count: letters.length, dueAt: 0 }]
    : inDatabases.flat()
}

interface Open {
  what: string
  count: number
  dueAt: number
}

async function readOpenOf(db: D1Database): Promise<Open[]> {
  const answers = await db.batch<{ count: number; dueAt: number | null }>(
    Object.values(OPEN).map((query) =>
      db.prepare(`select count(*) as count, min(due_at) as dueAt from (${query})`),
    ),
  )
  return Object.keys(OPEN).flatMap((what, index) => {
    const { count = 0, dueAt = null } = answers[index]?.results[0] ?? {}
    return count > 0 ? [{ what, count, dueAt: dueAt ?? 0 }] : []
  })
}

/** Soon after the time in its id, the sweep publishes a change. A clock that is ahead may have set it. */
async function readUntoldOf(db: D1Database): Promise<Open[]> {
  const { results } = await db
    .prepare("select id from stream_outbox order by id")
    .all<{ id: string }>()
  const [first] = results
  if (!first) return []
  return [
    { what: "untold changes", count: results.length, dueAt: timeOf(first.id) + TOLD_WITHIN_MS },
  ]
}
