import { env } from "cloudflare:workers"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { judge } from "./judge.ts"
import { type Abuse, abuses } from "./requests.ts"
import { TARGETS } from "./targets.ts"
import { createWorld, targetOf } from "./world.ts"

const REQUESTS = Number(env.ABUSE_REQUESTS || 2_000)
const SEED = Number(env.ABUSE_SEED || 20_261_125)
/** Lists of a team stay as short as those of most teams. */
const REQUESTS_A_TEAM = 1_000

const LEVELS = ["log", "info", "warn", "error"] as const
const logs: string[] = []
let internet: Internet

beforeAll(() => {
  internet = fakeInternet()
  for (const level of LEVELS) {
    vi.spyOn(console, level).mockImplementation((...parts) => {
      logs.push(parts.map(String).join(" "))
    })
  }
})
afterAll(() => {
  internet.restore()
  vi.restoreAllMocks()
})

it(
  "no request brings an error of ours, another team's data or a secret",
  async () => {
    const world = await createWorld()
    const counts: Record<string, number> = {}
    const count = (name: string) => {
      counts[name] = (counts[name] ?? 0) + 1
    }
    const property = fc.asyncProperty(abuses, async (abuse: Abuse) => {
      logs.length = 0
      const target = targetOf(abuse)
      const reply = await world.call(abuse)
      judge({ target, reply, logs, world })
      count("requests")
      count(target.surface)
      count(reply.status < 400 ? "answered" : "refused")
      const isLost = reply.status === 401 && ["full", "owner"].includes(abuse.caller)
      if (isLost || (counts.requests ?? 0) % REQUESTS_A_TEAM === 0) await world.renew()
    })
    // A smaller request would meet another state of the team, so it would show nothing.
    await fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: true })
    expect(counts.answered).toBeGreaterThan(REQUESTS / 10)
    if (env.ABUSE_REQUESTS) await keep(counts)
  },
  Math.max(60_000, REQUESTS * 300),
)

async function keep(counts: Record<string, number>): Promise<void> {
  const result = {
    name: "Requests that nobody should send",
    command: `npm run abuse -- --requests ${REQUESTS} --seed ${SEED}`,
    seeds: [SEED],
    figures: {
      ...counts,
      calls: TARGETS.length,
      "errors of ours": 0,
      "other team's data": 0,
      secrets: 0,
    },
    shows:
      "Valid, nearly valid and hostile values for each member of each call of REST, session and Resend's API: every reply has its schema and a request id, none is an error of ours, none has another team's data, and no error or log has a key, a password, a webhook's secret or the text of a message.",
    doesNotShow:
      "Calls at the same time, sequences that need more than one call, sign-in, and what only Cloudflare's edge refuses.",
  }
  await env.RESULTS.fetch("http://results/abuse", { method: "POST", body: JSON.stringify(result) })
}
