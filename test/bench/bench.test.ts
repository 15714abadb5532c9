import { env } from "cloudflare:workers"
import { afterAll, beforeAll, it } from "vitest"
import { recordEvents } from "../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../src/worker/emails/outcomes/report.ts"
import type { Provider } from "../../src/worker/providers/provider.ts"
import { dispatchEmails } from "../support/dispatch.ts"
import { eventually } from "../support/eventually.ts"
import { metered } from "../support/meter.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { makeClock, testWork } from "../support/work.ts"

const HOUR_MS = 3_600_000
const REPEATS = 20
const LONE_EMAILS = 50

let team: Team
const lines: string[][] = [["operation", "round trips", "rows read", "rows written", "time"]]
let unitMs = 0

beforeAll(async () => {
  team = await makeTeam()
  await env.DB.prepare("update api_keys set last_used_at = ?")
    .bind(Date.now() + HOUR_MS)
    .run()
})

afterAll(() => {
  const widths = lines[0]!.map((_, column) =>
    Math.max(...lines.map((line) => line[column]!.length)),
  )
  const table = lines.map((line) =>
    line.map((cell, column) => cell.padEnd(widths[column]!)).join("  "),
  )
  console.log(
    `${table.join("\n")}\n(time: median, as a multiple of one read by id in the same run)`,
  )
})

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

async function measure(name: string, operation: () => Promise<unknown>) {
  const times: number[] = []
  let meter = await metered(operation)
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const start = performance.now()
    meter = await metered(operation)
    times.push(performance.now() - start)
  }
  unitMs ||= median(times)
  const { roundTrips, rowsRead, rowsWritten } = meter
  const counts = [roundTrips, rowsRead, rowsWritten].map(String)
  lines.push([name, ...counts, `${(median(times) / unitMs).toFixed(1)}x`])
}

const message = (scheduledAt?: string) => ({
  from: `sender@${team.domain}`,
  to: "someone@example.com",
  subject: "Hello",
  html: `<p>${"Hello there. ".repeat(100)}</p>`,
  ...(scheduledAt && { scheduledAt }),
})

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString()
const hundred = () => Array.from({ length: 100 }, () => message(inAnHour()))

const accepting: Provider = {
  name: "sandbox",
  send: async ({ emailId }) => ({ ok: true, providerMessageId: emailId, acceptedAt: Date.now() }),
}

it("measures what each operation costs", async () => {
  const { body } = await team.api.post("/emails", message(inAnHour()))
  await measure("GET /emails/:id", () => team.api.get(`/emails/${body.id}`))
  await measure("POST /emails", () => team.api.post("/emails", message(inAnHour())))
  await measure("POST /emails/batch of 100", () => team.api.post("/emails/batch", hundred()))
  await measure("GET /emails", () => team.api.get("/emails"))
  await measure("GET /emails?to=", () => team.api.get("/emails?to=someone@example.com"))

  const clock = makeClock(Date.now() + 2 * HOUR_MS)
  const { work } = testWork({ clock })
  const batches = await Promise.all(
    Array.from({ length: REPEATS + 1 }, async () => {
      const { body: accepted } = await team.api.post("/emails/batch", hundred())
      return accepted.data.map(({ id }: { id: string }) => ({ teamId: team.id, emailId: id }))
    }),
  )
  let next = 0
  await measure("sending 100", () => dispatchEmails(work, batches[next++], { provider: accepting }))
  next = 0
  await measure("recording 100 outcomes", () =>
    recordEvents(
      work,
      batches[next++].map((ref: { teamId: string; emailId: string }) =>
        reportOf(ref, "delivered", Date.now()),
      ),
    ),
  )
}, 120_000)

it("measures how long a lone email takes to reach the provider", async () => {
  const waits: number[] = []
  for (let count = 0; count < LONE_EMAILS; count++) {
    const { body } = await team.api.post("/emails", message())
    await eventually(async () => {
      const { body: email } = await team.api.get(`/emails/${body.id}`)
      if (!email.sentAt) throw new Error("not sent yet")
      waits.push(Date.parse(email.sentAt) - Date.parse(email.createdAt))
    })
  }
  console.log(`accepted to handed over, median of ${LONE_EMAILS}: ${median(waits)} ms`)
}, 120_000)
