import { env } from "cloudflare:workers"
import { consume, type QueueMessage } from "../../src/worker/consume.ts"
import { runCron } from "../../src/worker/cron.ts"
import { fakeQueue } from "./queue.ts"
import { asInvocation } from "./strict.ts"
import { makeClock, testWork } from "./work.ts"

const BINDINGS = [
  "SENDS",
  "SENDS_BACKLOG",
  "SENDS_BULK",
  "OUTCOMES",
  "CAMPAIGNS",
  "DELIVERIES",
  "RECEIVED",
] as const
type Binding = (typeof BINDINGS)[number]

/** As in wrangler.toml. */
const MESSAGES_A_BATCH = {
  SENDS: 100,
  SENDS_BACKLOG: 1,
  SENDS_BULK: 1,
  OUTCOMES: 100,
  CAMPAIGNS: 1,
  DELIVERIES: 5,
  RECEIVED: 10,
}

/**
 * Queues and cron in the test's hands. `mayCrash` is asked around each batch of the database: where
 * it says so the process is dead until `lose`, and with it whatever its queues held.
 */
export function createDriver(mayCrash: () => boolean = () => false) {
  const clock = makeClock()
  const queues = Object.fromEntries(BINDINGS.map((name) => [name, fakeQueue()])) as Record<
    Binding,
    ReturnType<typeof fakeQueue>
  >
  let isDead = false
  const crash = () => {
    isDead ||= mayCrash()
    if (isDead) throw new Error("crashed")
  }
  const DB = new Proxy(env.DB, {
    get(db, name) {
      if (name !== "batch") return Reflect.get(db, name).bind(db)
      return async (statements: D1PreparedStatement[]) => {
        crash()
        const results = await db.batch(statements)
        crash()
        return results
      }
    },
  })
  const bound = Object.fromEntries(BINDINGS.map((name) => [name, queues[name].queue]))
  const { work } = testWork({ clock, settings: { ...bound, DB } })

  async function takeMessages(binding: Binding, count = MESSAGES_A_BATCH[binding]) {
    const messages = queues[binding].sent.splice(0, count).map(({ message }) => ({
      body: message,
      attempts: 1,
      retry: ({ delaySeconds }: { delaySeconds: number }) => {
        if (!isDead) queues[binding].sent.push({ message, delaySeconds })
      },
    }))
    const batch = { queue: binding, messages }
    await asInvocation(() => consume(work, batch as unknown as MessageBatch<QueueMessage>))
    if (isDead) throw new Error("crashed")
  }

  return {
    work,
    clock,
    queues,
    /** Everything that is queued, and what comes of it. */
    async drain(
      bindings: readonly Binding[] = [
        "CAMPAIGNS",
        "SENDS_BULK",
        "OUTCOMES",
        "SENDS",
        "SENDS_BACKLOG",
      ],
    ) {
      for (;;) {
        const binding = bindings.find((name) => queues[name].sent.length > 0)
        if (!binding) return
        await takeMessages(binding)
      }
    },
    takeMessages,
    /** Another process begins, with empty queues. */
    lose() {
      isDead = false
      for (const name of BINDINGS) queues[name].sent.length = 0
    },
    async pass(minutes = 1) {
      clock.advance(minutes * 60_000)
      await asInvocation(() => runCron(work))
    },
  }
}
