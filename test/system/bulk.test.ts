import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type DevServer, startDevServer } from "./dev-server.ts"

const CONTACTS = 20_000
const CONTACTS_AN_IMPORT = 10_000
const LONE_EMAILS = 20

let server: DevServer

beforeAll(async () => {
  server = await startDevServer()
})
afterAll(() => server?.dispose())

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
const call = async (method: string, path: string, body?: unknown): Promise<any> =>
  (await server.call(method, `/api/v1${path}`, body)).json()

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Milliseconds from accepted to handed over, of emails that are sent one by one. */
async function measureLoneEmails(): Promise<number> {
  const waits: number[] = []
  for (let count = 0; count < LONE_EMAILS; count++) {
    const { id } = await call("POST", "/emails", {
      from: "hello@demo.test",
      to: `reader-${count}@example.com`,
      subject: "Hello",
      text: "Hi",
    })
    for (;;) {
      const { createdAt, sentAt } = await call("GET", `/emails/${id}`)
      if (sentAt) {
        waits.push(Date.parse(sentAt) - Date.parse(createdAt))
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return median(waits)
}

describe("20,000 queued campaign emails", () => {
  it("hold up no transactional one", async () => {
    const first = await call("POST", "/emails", {
      from: "hello@demo.test",
      to: "a@example.com",
      subject: "Hello",
      text: "Hi",
    })
    const { domainId } = await call("GET", `/emails/${first.id}`)
    const idle = await measureLoneEmails()
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
      domainId,
      from: "News <news@demo.test>",
      subject: "News",
      blocks: [{ kind: "text", html: "Hi {{ firstName }}" }],
    })
    await call("POST", `/campaigns/${id}/send`)
    for (;;) {
      const { status } = await call("GET", `/campaigns/${id}`)
      if (status === "sent") break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const busy = await measureLoneEmails()
    const { counts } = await call("GET", `/campaigns/${id}`)
    expect(counts.recipients).toBe(CONTACTS)
    expect(counts.sent).toBeLessThan(CONTACTS / 2)
    console.log(`idle ${idle} ms, beside ${CONTACTS} queued ${busy} ms (medians)`)
    // The backlog takes minutes: whoever had to wait for it would not be done in a second.
    expect(busy).toBeLessThan(Math.max(2 * idle, 1_000))
  })
})
