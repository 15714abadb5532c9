import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { createApp } from "../../src/worker/app.ts"
import { consume } from "../../src/worker/consume.ts"
import { runCron } from "../../src/worker/cron.ts"
import {
  DIRECTORY,
  databaseEnv,
  databaseNumbers,
  hasOthers,
} from "../../src/worker/platform/db/databases.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import { BASE_URL, type Reply } from "../support/api.ts"
import { SES_SETTINGS } from "../support/fake-ses.ts"
import { workerEnv } from "../support/installation.ts"
import { fakeInternet } from "../support/internet.ts"
import { makeClock } from "../support/work.ts"
import { createActions } from "./actions.ts"
import { createDraw } from "./chance.ts"
import { clockOf } from "./clocks.ts"
import { createExcuses } from "./excuses.ts"
import { faultyBucket, faultyRates, faultyStreams } from "./faulty-bindings.ts"
import { faultyD1 } from "./faulty-d1.ts"
import { createQueues, QUEUE_NAMES, type QueueName } from "./faulty-queues.ts"
import { currentInvocation, type Invocation, runInvocation } from "./invocation.ts"
import { createJournal } from "./journal.ts"
import { createLate } from "./late.ts"
import { createOutages } from "./outages.ts"
import { eachDividedBy, type Profile, profileOf } from "./profile.ts"
import { createProvider } from "./provider.ts"
import { createReceivers } from "./receivers.ts"

/** The waits of the code are real: they take this part of their time. */
const TIMERS_FASTER = 50
/** So low that events wait for room. */
const PENDING_LIMIT = "100"
/** Messages a second, of every third seed with a provider outside. */
const SEND_RATE = 5
/** How often a stream's object is evicted between two rounds. */
const EVICTIONS = 0.15
const EVICTIONS_OF_THE_RATE = 0.05
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
  const { setTimeout: realTimeout } = globalThis
  const realWait = (ms: number) =>
    new Promise<void>((resolve) => realTimeout(resolve, ms / TIMERS_FASTER))
  const excuses = createExcuses()
  const outages = hasOutages ? createOutages({ draw, now: clock.now, note }) : undefined
  const actions = createActions({ now: clock.now, moment: () => realWait(TIMERS_FASTER) })
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
    keeps: isOutside ? "OUTCOMES" : undefined,
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
  const sharesRate = sendRate !== null && hasOthers(workerEnv())
  const rateEvictions: number[] = []
  const app = createApp()
  let invocations = 0
  let calmSince = 0

  const time = vi
    .spyOn(Date, "now")
    .mockImplementation(() => Math.round(clock.now() + (currentInvocation()?.clockAheadMs() ?? 0)))
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((work: () => void, ms = 0) =>
      realTimeout(work, ms / TIMERS_FASTER)) as unknown as typeof setTimeout)
  const waits = vi
    .spyOn(scheduler, "wait")
    .mockImplementation((ms) => currentInvocation()?.wait(ms) ?? realWait(ms))

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

  const installation = workerEnv()
  const bound = (invocation: Invocation): Env => ({
    ...installation,
    ...Object.fromEntries(QUEUE_NAMES.map((name) => [name, queues.producer(name, invocation)])),
    ...Object.fromEntries(
      databaseNumbers(installation).map((number) => [
        number === DIRECTORY ? "DB" : `DB_${number}`,
        faultyD1(databaseEnv(installation, number).DB, invocation, journal, number),
      ]),
    ),
    CONTENT: faultyBucket(invocation),
    TEAM_STREAM: faultyStreams(invocation, journal),
    PROVIDER_RATES: faultyRates(invocation),
    WEBHOOK_PENDING_LIMIT: PENDING_LIMIT,
    ...(isOutside && {
      ...SES_SETTINGS,
      ...(sendRate !== null && { SEND_RATE: String(sendRate) }),
    }),
  })

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
    rateEvictions: rateEvictions as readonly number[],
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
    async evict(teamIds: readonly string[]): Promise<void> {
      for (const teamId of hasEvictions ? teamIds : []) {
        if (draw(`eviction ${invocations} ${teamId}`) >= EVICTIONS) continue
        note(`the stream of ${teamId} is evicted`)
        await evict(env.TEAM_STREAM.getByName(teamId))
      }
      if (sharesRate && draw(`eviction ${invocations} of the rate`) < EVICTIONS_OF_THE_RATE) {
        note("the object that shares out the rate is evicted")
        rateEvictions.push(clock.now())
        await evict(env.PROVIDER_RATES.getByName(PROVIDER_NAME))
      }
    },

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
      time.mockRestore()
      timers.mockRestore()
      waits.mockRestore()
      internet.restore()
    },
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ")
  const { message, cause } = error as Error
  return cause ? messageOf(cause) : message
}

const evict = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) => state.abort("evicted")).catch(() => {})
