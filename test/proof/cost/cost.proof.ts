import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { measure, quietBindings } from "./measure.ts"
import { operations } from "./operations.ts"
import { openOutside } from "./outside.ts"
import { type Cost, dollarsAMillion, PRICES, total } from "./prices.ts"

beforeAll(() => void openOutside())
afterAll(() => vi.restoreAllMocks())

const MINUTES_A_MONTH = 30 * 24 * 60

/** What a delivered email is made of. Amazon SES reports that it has sent it, and that it arrived. */
const LIVES: Record<string, [operation: string, times: number][]> = {
  "accepted, sent and recorded by the hundred": [
    ["accept a hundred", 0.01],
    ["send a hundred", 0.01],
    ["take a report of Amazon SES", 2],
    ["record a hundred that were sent", 0.01],
    ["record a hundred deliveries", 0.01],
    ["move a thousand contents to a pack", 0.001],
  ],
  "accepted one by one": [
    ["accept an email", 1],
    ["send a hundred", 0.01],
    ["take a report of Amazon SES", 2],
    ["record a hundred that were sent", 0.01],
    ["record a hundred deliveries", 0.01],
    ["move a thousand contents to a pack", 0.001],
  ],
  "alone in each batch": [
    ["accept an email", 1],
    ["send one", 1],
    ["take a report of Amazon SES", 2],
    ["record one that was sent", 1],
    ["record one delivery", 1],
    ["move a thousand contents to a pack", 0.001],
  ],
  "of a campaign": [
    ["a campaign to a thousand", 0.001],
    ["take a report of Amazon SES", 2],
    ["record a hundred that were sent", 0.01],
  ],
}

it("counts what each operation takes of the platform", async () => {
  const costs = new Map<string, Cost>()
  for await (const operation of operations(quietBindings())) {
    costs.set(operation.name, await measure(operation))
  }
  const costOf = (name: string) => costs.get(name) as Cost
  const lives = Object.entries(LIVES).map(
    ([life, parts]) =>
      [life, total(parts.map(([name, times]) => [costOf(name), times] as const))] as const,
  )
  expect(costOf("accept an email")).toMatchObject({ roundTrips: 1, rowsWritten: 4 })
  await keep(costs, lives)
}, 300_000)

const COLUMNS: Record<string, (cost: Cost) => number> = {
  "round trips to D1": ({ roundTrips }) => roundTrips,
  "rows read": ({ rowsRead }) => rowsRead,
  "rows written": ({ rowsWritten }) => rowsWritten,
  "queue operations": ({ queueOperations }) => queueOperations,
  "object calls": ({ objectCalls }) => objectCalls,
  "R2 writes and lists": ({ r2Writes }) => r2Writes,
  "R2 reads": ({ r2Reads }) => r2Reads,
  "CPU ms": ({ cpuMs }) => rounded(cpuMs, cpuMs < 10 ? 2 : 0),
  "dollars a million": (cost) => rounded(dollarsAMillion(cost), 2),
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

type Life = readonly [name: string, cost: Cost]

async function keep(costs: ReadonlyMap<string, Cost>, lives: readonly Life[]): Promise<void> {
  const idle = costs.get("a minute with nothing to do") as Cost
  const result = {
    name: "What an operation costs",
    command: "npm run cost",
    figures: {
      "operations measured": costs.size,
      ...Object.fromEntries(
        lives.map(([life, cost]) => [
          `dollars a million delivered, ${life}`,
          dollarsAMillion(cost).toFixed(2),
        ]),
      ),
      ...Object.fromEntries(
        lives.map(([life, { rowsWritten }]) => [
          `rows written a delivered email, ${life}`,
          rounded(rowsWritten, 1),
        ]),
      ),
      "dollars a month without any mail": (
        (dollarsAMillion(idle) * MINUTES_A_MONTH) /
        1_000_000
      ).toFixed(2),
      "prices of": PRICES.date,
    },
    shows: `Round trips and rows are D1's own figures; messages to queues count three operations; calls of objects and R2 are counted. CPU is that of the Worker alone, with recorded answers of the database. Dollars are these counts at the prices of ${PRICES.of}, from ${PRICES.sources.join(", ")}. An email has html of 3.4 KB and one recipient; Amazon SES sends two reports on each.`,
    doesNotShow:
      "What the provider asks, storage, webhooks and live streams that stay open, retries, and the CPU of Cloudflare's machines.",
    table: {
      columns: ["operation", ...Object.keys(COLUMNS)],
      rows: [...costs].map(([name, cost]) => [
        name,
        ...Object.values(COLUMNS).map((read) => read(cost)),
      ]),
    },
  }
  await env.RESULTS.fetch("http://results/cost", { method: "POST", body: JSON.stringify(result) })
}
