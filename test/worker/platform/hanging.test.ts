import { env } from "cloudflare:workers"
import { afterEach, expect, it, vi } from "vitest"
import { limitKey } from "../../../src/worker/access/rate-limit.ts"
import { loadContent } from "../../../src/worker/emails/content.ts"
import type { Ctx } from "../../../src/worker/platform/context.ts"
import { load, store } from "../../../src/worker/platform/db/overflow.ts"
import type { Env } from "../../../src/worker/platform/env.ts"
import { toApiError } from "../../../src/worker/platform/http/errors.ts"
import { openStream } from "../../../src/worker/stream/connect.ts"

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const never = () => new Promise<never>(() => {})
const hanging = {
  ...env,
  CONTENT: { get: never, put: never },
  TEAM_STREAM: { getByName: () => ({ fetch: never }) },
} as unknown as Env

const LARGE = Buffer.alloc(100_000)
const caller = async () => ({ team: { id: "team" }, key: null, session: null })

it.each<[string, () => Promise<unknown>]>([
  ["a large content that is stored", () => store(hanging, LARGE, () => "key")],
  ["a large content that is read", () => load(hanging, { body: null, objectKey: "key" })],
  [
    "a content in a pack",
    () =>
      loadContent(hanging, undefined, {
        teamId: "team_1",
        id: "em_01KB3V9S3CYXVJ4TRQ7P6M0N2D",
        pack: "p",
        packOffset: 0,
        packLength: 1,
      }),
  ],
  ["the object of the stream", () => openStream({ env: hanging, caller } as unknown as Ctx)],
])("%s answers 503 while it hangs", async (_, call) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const failed = call().catch((error) => toApiError(error))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await failed).toMatchObject({ code: "unavailable" })
})

it.each<[string, RateLimit["limit"]]>([
  ["hangs", never],
  ["fails", () => Promise.reject(new Error("unavailable"))],
])("a rate limiter that %s lets calls through", async (_, limit) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  vi.spyOn(console, "error").mockImplementation(() => {})
  const allowed = limitKey({ ...env, API_RATE_LIMIT: { limit } } as unknown as Env, "hash")
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await allowed).toBeUndefined()
})
