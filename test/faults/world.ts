import { createApp } from "../../src/worker/app.ts"
import { consume } from "../../src/worker/consume.ts"
import { runCron } from "../../src/worker/cron.ts"
import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import { BASE_URL, type Reply } from "../support/api.ts"
import { workerEnv } from "../support/installation.ts"
import { fakeInternet } from "../support/internet.ts"
import { makeClock } from "../support/work.ts"
import { createActions } from "./actions.ts"
import { bindingsOf } from "./bindings.ts"
import { createDraw } from "./chance.ts"
import { clockOf } from "./clocks.ts"
import { createEvictions } from "./evictions.ts"
import { createExcuses } from "./excuses.ts"
import { createQueues, type QueueName } from "./faulty-queues.ts"
import { type Invocation, runInvocation } from "./invocation.ts"
import { createJournal } from "./journal.ts"
import { createLate } from "./late.ts"
import { createOutages } from "./outages.ts"
import { eachDividedBy, type Profile, profileOf } from "./profile.ts"
import { createProvider } from "./provider.ts"
import { createReceivers } from "./receivers.ts"
import { fakeTime } from "./time.ts"

/** Messages a second, of every third seed with a provider outside. */
const SEND_RATE = 5
const PROVIDER_NAME = "ses"
/** The process that goes on with moves of teams. */
const MOVE = "a move"
/** So many times more than others make: each meets as many fewer faults. */
const CALLS_OF_A_MOVE = 40

export type World = ReturnType<typeof createWorld>

/** What makes a world different from the plain one. */
export interface Setting {
  /** Mail goes to a provider outside. Otherwise it goes to the sandbox. */
  isOutside?: boolean
  /** Database, queues, bucket or stream are away for a while. */
  hasOutages?: boolean
  /** Some clocks are up to an hour ahead or behind. */
  hasFarClocks?: boolean
  /** The stream's objects are evicted now and then. */
  hasEvictions?: boolean
  /** A team is moved to another database. */
  hasMove?: boolean
  /** A third team is deleted. */
  hasDeletion?: boolean
  /** The databases are restored to a moment among the faults. */
  hasRestore?: boolean
  /** In the end, all content and all records expire. */
  hasRetention?: boolean
}

/** The service with a clock, queues and processes of the seed's own. */
export function createWorld(
  seed: number,
  {
    isOutside = false,
    hasOutages = false,
    hasFarClocks = false,
    hasEvictions = false,
    hasMove = false,
  }: Setting = {},
) {
  const draw = createDraw(seed)
  const clock = makeClock()
  const log: string[] = []
  let profile: Profile | null = null
  const begunAt = clock.now()
  const note = (line: string) =>
    void log.push(`+${((clock.now() - begunAt) / 1000).toFixed(2)} s  ${line}`)
  const { realWait, moment, restore: restoreTime } = fakeTime(clock)
  const excuses = createExcuses()
  const outages = hasOutages ? createOutages({ draw, now: clock.now, note }) : undefined
  const actions = createActions({ now: clock.now, moment })
  const journal = createJournal(clock.now)
  const surroundings = {
    draw,
    positions: journal.positions,
    note,
    realWait,
    rates: (process: string) =>
      profile && (process === MOVE ? eachDividedBy(CALLS_OF_A_MOVE, profile.calls) : profile.calls),
    hangsMs: (call: string) => outages?.hangsMs(call) ?? null,
    noteClock: excuses.noteClock,
    clockOf: (process: number) => clockOf(draw, process, hasFarClocks && profile !== null),
  }
  const queues = createQueues({
    draw,
    now: clock.now,
    note,
    rates: () => profile?.queues ?? null,
    // Only the sandbox reports again by itself, and reports on a fenced team wait in this queue.
    keeps: isOutside || hasMove ? "OUTCOMES" : undefined,
  })
  const internet = fakeInternet()
  const receivers = createReceivers(internet, {
    draw,
    failures: () => profile?.receiverFails ?? 0,
    positions: journal.positions,
  })
  const isFaulty = () => profile !== null
  const provider = isOutside
    ? createProvider(internet, { draw, now: clock.now, note, isFaulty })
    : undefined
  const sendRate = isOutside && seed % 3 === 0 ? SEND_RATE : null
  const evictions = createEvictions({
    draw,
    now: clock.now,
    note,
    hasEvictions,
    rateOf: sendRate !== null && hasOthers(workerEnv()) ? PROVIDER_NAME : undefined,
  })
  const app = createApp()
  let invocations = 0
  let calmSince = 0

  let longestMs = 0
  const { attend, resume: resumeLate } = createLate({ clock, draw, log })

  const run = async <T>(
    what: string,
    waitLong: () => Promise<void>,
    handler: (invocation: Invocation, execution: ExecutionContext) => Promise<T>,
  ) => {
    let invocation: Invocation | undefined
    try {
      return await runInvocation(surroundings, ++invocations, what, waitLong, (one, execution) => {
        invocation = one
        return handler(one, execution)
      })
    } finally {
      longestMs = Math.max(longestMs, invocation?.tookMs() ?? 0)
    }
  }

  const bound = (invocation: Invocation) =>
    bindingsOf(invocation, { queues, journal, isOutside, sendRate })

  /** Null where the process died: the caller has no answer. */
  async function fetchText(request: Request): Promise<{ status: number; text: string } | null> {
    let answer: { status: number; text: string } | null = null
    const { pathname } = new URL(request.url)
    await attend(async (waitLong) => {
      await run(`${request.method} ${pathname}`, waitLong, async (invocation, execution) => {
        const reply = await app.fetch(request, bound(invocation), execution)
        const text = new TextDecoder().decode(await reply.arrayBuffer())
        // The reply is out before what is deferred is done.
        if (!invocation.isDead()) answer = { status: reply.status, text }
      })
    })
    return answer
  }

  return {
    seed,
    draw,
    clock,
    log,
    note,
    queues,
    journal,
    receivers,
    provider,
    outages,
    actions,
    excuses,
    hasFarClocks,
    hasMove,
    sendRate,
    /** When the object that shares out the rate was evicted. */
    rateEvictions: evictions.ofTheRate,
    moves: { done: 0 },
    /** When the faults stopped. */
    calmSince: () => calmSince,
    /** The number of the latest invocation. */
    latest: () => invocations,

    /** As `fetchText`. */
    async request(
      method: string,
      path: string,
      { headers, body }: { headers: Record<string, string>; body?: unknown },
    ): Promise<Pick<Reply, "status" | "body"> | null> {
      const request = new Request(`${BASE_URL}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = await fetchText(request)
      return answer && { status: answer.status, body: answer.text && JSON.parse(answer.text) }
    },

    /** The emails that a provider or the sandbox has had so far. */
    handedOver: () => (provider?.acceptances ?? journal.handovers).map(({ emailId }) => emailId),

    /** A reader's program fetches a pixel or follows a link. */
    async visit(url: string, headers: Record<string, string>): Promise<void> {
      await fetchText(new Request(url, { headers }))
    },

    /** The provider tells what is due. */
    async report(): Promise<void> {
      const url = `${BASE_URL}/providers/ses/events`
      await provider?.report(async (body) => {
        const answer = await fetchText(new Request(url, { method: "POST", body }))
        return answer?.status === 200
      })
    },

    /** One consumer takes what is due in this queue; says whether there was something. */
    async consume(name: QueueName): Promise<boolean> {
      const taken = outages?.isOut("the queues") ? null : queues.take(name)
      if (!taken) return false
      await attend(async (waitLong) => {
        try {
          const what = taken.isMove ? MOVE : `consumer of ${name}`
          const outcome = await run(what, waitLong, (invocation, execution) =>
            consume(createWork(bound(invocation), execution), taken.batch),
          )
          if ("died" in outcome) taken.giveBack()
          else taken.end()
        } catch (error) {
          note(`consumer of ${name} throws: ${messageOf(error)}`)
          taken.giveBack()
        }
      })
      return true
    },

    async cron(): Promise<void> {
      await attend(async (waitLong) => {
        try {
          await run("cron", waitLong, (invocation, execution) =>
            runCron(createWork(bound(invocation), execution)),
          )
        } catch (error) {
          note(`cron throws: ${messageOf(error)}`)
        }
      })
    },

    /** The objects of these teams' streams die, now and then. */
    evict: (teamIds: readonly string[]) => evictions.evict(teamIds, invocations),

    /** The time that the slowest of the latest invocations took. */
    longestMs: () => longestMs,

    /** The time that the slowest of the latest invocations took, and a while beside it. */
    async pass(ms: number): Promise<void> {
      clock.advance(Math.round(longestMs + ms))
      longestMs = 0
      await resumeLate(clock.now())
      await actions.wake()
    },

    begin(): void {
      profile = profileOf(seed)
      note(`faults: ${profile.name}`)
    },
    async stop(): Promise<void> {
      profile = null
      calmSince = clock.now()
      note("no more faults")
      await resumeLate(Number.POSITIVE_INFINITY)
    },
    close(): void {
      restoreTime()
      internet.restore()
    },
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ")
  const { message, cause } = error as Error
  return cause ? messageOf(cause) : message
}
