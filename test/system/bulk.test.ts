import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mapLimit } from "../../src/lib/chunk.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"

const CONTACTS = 100_000
const BACKLOG = 100_000
const EMAILS_A_CALL = 100
const CALLS_AT_ONCE = 4
const CONTACTS_AN_IMPORT = 10_000
const LONE_EMAILS = 20

let server: DevServer

beforeAll(async () => {
  server = await startDevServer()
})
afterAll(() => server?.dispose())

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
const call = async (method: string, path: string, body?: unknown, key?: string): Promise<any> =>
  (await server.call(method, `/api/v1${path}`, body, key)).json()

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const message = (from: string, to: string) => ({ from, to, subject: "Hello", text: "Hi" })

/** Milliseconds from accepted to handed over, of emails that another team sends one by one. */
async function measureLoneEmails(): Promise<number> {
  const { apiKey } = server.credentials.other
  const waits: number[] = []
  for (let count = 0; count < LONE_EMAILS; count++) {
    const lone = message("hello@other.test", `reader-${count}@example.com`)
    const { id } = await call("POST", "/emails", lone, apiKey)
    for (;;) {
      const { createdAt, sentAt } = await call("GET", `/emails/${id}`, undefined, apiKey)
      if (sentAt) {
        waits.push(Date.parse(sentAt) - Date.parse(createdAt))
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return median(waits)
}

async function queueBacklog() {
  const batch = Array.from({ length: EMAILS_A_CALL }, (_, index) =>
    message("hello@demo.test", `reader-${index}@example.com`),
  )
  const calls = Array.from({ length: BACKLOG / EMAILS_A_CALL })
  await mapLimit(calls, CALLS_AT_ONCE, () => call("POST", "/emails/batch", batch))
}

async function startCampaign() {
  const { data } = await call("GET", "/domains")
  const book = await call("POST", "/contact-books", { name: "Readers" })
  for (let from = 0; from < CONTACTS; from += CONTACTS_AN_IMPORT) {
    const addresses = Array.from(
      { length: CONTACTS_AN_IMPORT },
      (_, index) => `reader-${from + index}@example.com`,
    )
    const csv = ["email", ...addresses].join("\n")
    await call("POST", `/contact-books/${book.id}/contacts/import`, { csv })
  }
  const { id } = await call("POST", "/campaigns", {
    name: "News",
    bookId: book.id,
    domainId: data[0].id,
    from: "News <news@demo.test>",
    subject: "News",
    blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
  })
  await call("POST", `/campaigns/${id}/send`)
  return id
}

describe("100,000 queued emails of a team and a campaign of 100,000", () => {
  it("hold up no email of another team", async () => {
    await measureLoneEmails()
    const idle = await measureLoneEmails()
    const id = await startCampaign()
    await queueBacklog()
    const busy = await measureLoneEmails()
    const { counts } = await call("GET", `/campaigns/${id}`)
    const { data: queued } = await call("GET", "/emails?status=queued&limit=1")
    expect(queued, "the backlog is still there").toHaveLength(1)
    expect(counts.sent, "so is the campaign").toBeLessThan(CONTACTS / 2)
    console.log(`idle ${idle} ms, beside both backlogs ${busy} ms (medians)`)
    // The backlogs take minutes: whoever had to wait for them would not be done in a second.
    expect(busy).toBeLessThan(Math.max(2 * idle, 1_000))
  }, 900_000)
})
