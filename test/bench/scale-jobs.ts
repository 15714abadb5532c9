import { type Counted, type Counting, createCounting, type Message } from "./counting.ts"
import { type FilledTeam, fillEmails, fillWaiting } from "./fill/emails.ts"
import type { Platform } from "./platform.ts"
import { hundredCall } from "./scale-calls.ts"
import { median } from "./table.ts"

export type Cost = Pick<Counted, "roundTrips" | "rowsRead" | "rowsWritten" | "byDatabase" | "ms">

const NOTHING: Cost = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, byDatabase: {}, ms: 0 }

const plus = (a: Cost, b: Cost): Cost => ({
  roundTrips: a.roundTrips + b.roundTrips,
  rowsRead: a.rowsRead + b.rowsRead,
  rowsWritten: a.rowsWritten + b.rowsWritten,
  byDatabase: Object.fromEntries(
    Object.keys({ ...a.byDatabase, ...b.byDatabase }).map((name) => [
      name,
      (a.byDatabase[name] ?? 0) + (b.byDatabase[name] ?? 0),
    ]),
  ),
  ms: a.ms + b.ms,
})

const ROUNDS = 3
const PURGED = 1_000
const MOVED = 1_000
const MOST_INVOCATIONS = 1_000
/** Numbers that no other email has. */
let nextNumber = 10_000_000

const STEPS: Record<string, string> = {
  "edgepost-sends": "claim and hand over a hundred",
  "edgepost-sends-backlog": "claim and hand over a hundred",
  "edgepost-outcomes": "record what became of a hundred",
  "edgepost-deliveries": "attempt a hundred deliveries to a webhook",
}

/** What the Worker does by itself, counted at each invocation: medians of some rounds. */
export async function countJobs(platform: Platform, team: FilledTeam): Promise<Map<string, Cost>> {
  const counting = createCounting(platform.ports)
  await settle(counting)
  const rounds: Map<string, Cost>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const costs = await sendHundred(counting, platform)
    await settle(counting)
    costs.set("a minute with nothing to do", await counting.minute())
    await fillWaiting(platform.db, team, nextRange(MOVED))
    costs.set(`a minute that moves ${MOVED} contents to a pack`, await counting.minute())
    await settle(counting)
    await fillExpired(platform, team)
    costs.set(
      `a minute that purges ${PURGED} records, and the contents of as many`,
      await counting.minute(),
    )
    await settle(counting)
    rounds.push(costs)
  }
  const names = new Set(rounds.flatMap((costs) => [...costs.keys()]))
  return new Map(
    [...names].map((name) => [name, medianOf(rounds.flatMap((costs) => costs.get(name) ?? []))]),
  )
}

const medianOf = (costs: readonly Cost[]): Cost => ({
  byDatabase: costs[0]?.byDatabase ?? {},
  roundTrips: median(costs.map(({ roundTrips }) => roundTrips)),
  rowsRead: median(costs.map(({ rowsRead }) => rowsRead)),
  rowsWritten: median(costs.map(({ rowsWritten }) => rowsWritten)),
  ms: median(costs.map(({ ms }) => ms)),
})

/** From the call to the last message of a queue. */
export async function sendHundred(
  counting: Counting,
  platform: Platform,
): Promise<Map<string, Cost>> {
  const accepted = await counting.call(hundredCall(platform))
  if (accepted.status !== 201) throw new Error(`The batch was answered ${accepted.status}`)
  const costs = new Map<string, Cost>([["accept a hundred", accepted]])
  await handOver(counting, accepted.messages, (queue, counted) => {
    const name = STEPS[queue]
    if (!name) throw new Error(`Nobody expects a message of ${queue}`)
    costs.set(name, plus(costs.get(name) ?? NOTHING, counted))
  })
  return costs
}

/** Hands over messages and what they cause, those of a queue at once. */
async function handOver(
  counting: Counting,
  messages: readonly Message[],
  note: (queue: string, counted: Counted) => void = () => {},
): Promise<void> {
  let waiting = [...messages]
  for (let done = 0; waiting.length > 0; done++) {
    if (done > MOST_INVOCATIONS) throw new Error("The queues never become empty")
    const queue = waiting[0]?.queue as string
    const counted = await counting.messages(waiting.filter((one) => one.queue === queue))
    waiting = [...waiting.filter((one) => one.queue !== queue), ...counted.messages]
    note(queue, counted)
  }
}

/** Until a minute finds nothing: some minutes, with what they enqueue. */
async function settle(counting: Counting) {
  for (let minute = 0; minute < 3; minute++) {
    const { messages } = await counting.minute()
    await handOver(counting, messages)
  }
}

function nextRange(count: number) {
  nextNumber += count
  return { from: nextNumber - count, to: nextNumber }
}

/** Emails that are older than records are kept, and others that are older than contents. */
async function fillExpired({ db, bucket }: Platform, team: FilledTeam) {
  // The purge has passed these days already, and begins again once a day.
  await db.prepare("delete from purge_positions where team_id = ?").bind(team.teamId).run()
  const range = () => ({ ...nextRange(PURGED), days: 5 })
  await fillEmails({ db, bucket }, team, { ...range(), oldestDays: 100 })
  await fillEmails({ db, bucket }, team, { ...range(), oldestDays: 40, contentDays: 60 })
}
