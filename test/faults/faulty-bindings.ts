import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Env } from "../../src/worker/platform/env.ts"
import type { Announcement } from "../../src/worker/stream/history.ts"
import { streamOf } from "../../src/worker/stream/stream-of.ts"
import { workerEnv } from "../support/installation.ts"
import { atTimeOf, type Invocation } from "./invocation.ts"
import type { Journal } from "./journal.ts"

type StreamCalls = Record<string, (...given: unknown[]) => Promise<unknown>>

const isAnnouncement = (one: unknown): one is Announcement =>
  typeof one === "object" && one !== null && "changes" in one

export function faultyStreams(invocation: Invocation, journal: Journal): Env["TEAM_STREAM"] {
  const getByName = (teamId: string) =>
    new Proxy({} as StreamCalls, {
      get:
        (_, method: string) =>
        (...given: unknown[]) =>
          invocation.call(`stream ${method}`, () => {
            const stub = env.TEAM_STREAM.getByName(teamId) as unknown as StreamCalls
            return journal.tell(
              teamId,
              given.flat().filter(isAnnouncement),
              async () => stub[method]?.(...given),
              (ids) => readUntold(teamId, ids),
            )
          }),
    })
  return { getByName } as unknown as Env["TEAM_STREAM"]
}

const TRIES = 5

/** The object may die again. */
async function readUntold(teamId: string, ids: string[]): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await streamOf(workerEnv(), teamId).untold(ids)
    } catch (error) {
      if (tries === TRIES) throw error
    }
  }
}

/** Shares out the rate of a provider, where several databases send. */
export function faultyRates(invocation: Invocation): Env["PROVIDER_RATES"] {
  const getByName = (name: string) => {
    const ask =
      <Question>(what: "take" | "giveBack") =>
      (question: Question) =>
        invocation.call(`rates ${what}`, () =>
          runInDurableObject(env.PROVIDER_RATES.getByName(name), (object) =>
            atTimeOf(invocation, () =>
              (object as unknown as Record<string, (asked: Question) => unknown>)[what]?.(question),
            ),
          ),
        )
    return { take: ask("take"), giveBack: ask("giveBack") }
  }
  return { getByName } as unknown as Env["PROVIDER_RATES"]
}

export function faultyBucket(invocation: Invocation): R2Bucket {
  const bucket = env.CONTENT
  return {
    put: (...args: Parameters<R2Bucket["put"]>) =>
      invocation.call("R2 put", () => bucket.put(...args)),
    get: (key: string, options?: R2GetOptions) =>
      invocation.call("R2 get", () => bucket.get(key, options)),
    list: (options?: R2ListOptions) => invocation.call("R2 list", () => bucket.list(options)),
    delete: (keys: string[]) => invocation.call("R2 delete", () => bucket.delete(keys)),
  } as unknown as R2Bucket
}
