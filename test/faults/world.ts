import { createApp } from "../../src/worker/app.ts"
import { consume } from "../../src/worker/consume.ts"
import { runCron } from "../../src/worker/cron.ts"
import { createWork } from "../../src/worker/platform/work.ts"
import { receive } from "../../src/worker/received/taking/email.ts"
import { BASE_URL, type Reply } from "../support/api.ts"
import { bindingsOf } from "./bindings.ts"
import type { QueueName } from "./faulty-queues.ts"
import { type Invocation, runInvocation } from "./invocation.ts"
import { createSurroundings, MOVE, type Setting } from "./surroundings.ts"

export type World = ReturnType<typeof createWorld>

/** The service with a clock, queues and processes of the seed's own. */
export function createWorld(seed: number, setting: Setting = {}) {
  const { calls, evictions, late, isOutside, stop, ...around } = createSurroundings(seed, setting)
  const { clock, note, queues, journal, provider, outages, actions, sendRate } = around
  const app = createApp()
  let invocations = 0
  let calmSince = 0
  let longestMs = 0
  const { attend, resume: resumeLate } = late

  const run = async <T>(
    what: string,
    waitLong: () => Promise<void>,
    handler: (invocation: Invocation, execution: ExecutionContext) => Promise<T>,
  ) => {
    let invocation: Invocation | undefined
    try {
      return await runInvocation(calls, ++invocations, what, waitLong, (one, execution) => {
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
    ...around,
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
        ...(body !== undefined && {
          body:
            body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
        }),
      })
      const answer = await fetchText(request)
      return answer && { status: answer.status, body: answer.text && JSON.parse(answer.text) }
    },

    /** The emails that a provider or the sandbox has had so far. */
    handedOver: () => (provider?.acceptances ?? journal.handovers).map(({ emailId }) => emailId),

    /** A server hands a message in. Null where it has no answer, and a reason where it is refused for good. */
    async mail(from: string, to: string, bytes: Uint8Array): Promise<{ refused?: string } | null> {
      let answer: { refused?: string } | null = null
      await attend(async (waitLong) => {
        try {
          await run("email", waitLong, async (invocation, execution) => {
            let refused: string | undefined
            const message = {
              ...{ from, to, raw: inChunks(bytes), rawSize: bytes.length },
              setReject: (reason: string) => {
                refused = reason
              },
            } as unknown as ForwardableEmailMessage
            await receive(createWork(bound(invocation), execution), message)
            if (!invocation.isDead()) answer = refused === undefined ? {} : { refused }
          })
        } catch (error) {
          note(`email throws: ${messageOf(error)}`)
        }
      })
      return answer
    },

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

    async stop(): Promise<void> {
      stop()
      calmSince = clock.now()
      await resumeLate(Number.POSITIVE_INFINITY)
    },
  }
}

const CHUNK_BYTES = 1_500

function inChunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + CHUNK_BYTES))
      at += CHUNK_BYTES
    },
  })
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ")
  const { message, cause } = error as Error
  return cause ? messageOf(cause) : message
}
