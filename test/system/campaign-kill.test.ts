import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { mapLimit } from "../../src/lib/chunk.ts"
import { SIMULATOR_HOST } from "../../src/worker/providers/sandbox/mailboxes.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"

const CONTACTS_A_MAILBOX = 200

const simulated = (mailbox: string) => (index: number) => `${mailbox}+${index}@${SIMULATOR_HOST}`

/**
 * Oldest first. A fan-out begins with the newest contacts: the flaky ones, which are sent after
 * waits of 30 and 60 seconds, have to begin early.
 */
const MAILBOXES = {
  ordinary: (index: number) => `reader-${index}@example.com`,
  success: simulated("success"),
  ooto: simulated("ooto"),
  bounce: simulated("bounce"),
  softbounce: simulated("softbounce"),
  suppressionlist: simulated("suppressionlist"),
  complaint: simulated("complaint"),
  notspam: simulated("notspam"),
  delay: simulated("delay"),
  reject: simulated("reject"),
  flaky: simulated("flaky"),
}

const addressesOf = (addressAt: (index: number) => string) =>
  Array.from({ length: CONTACTS_A_MAILBOX }, (_, index) => addressAt(index))

const contacts = Object.values(MAILBOXES).flatMap(addressesOf)
const rejected = addressesOf(MAILBOXES.reject)

let server: DevServer
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeAll(async () => {
  ;[server, receiver] = await Promise.all([startDevServer(), startReceiver()])
})
afterAll(async () => {
  await server?.dispose()
  receiver?.close()
})

/** Takes every webhook event, and keeps it. */
async function startReceiver() {
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape
  const events: any[] = []
  const http = createServer(async (request, response) => {
    const chunks = await request.toArray()
    events.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.end()
  }).listen(0, "127.0.0.1")
  await once(http, "listening")
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    of: (type: string) => events.filter((event) => event.type === type),
    close: () => http.close(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const reply = await server.call(method, `/api/v1${path}`, body)
  expect(reply.ok, `${method} ${path}`).toBe(true)
  return reply.json()
}

async function pages(path: string) {
  const items = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await call("GET", `${path}limit=100${cursor && `&cursor=${cursor}`}`)
    items.push(...page.data)
    cursor = page.nextCursor
  }
  return items
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The minute's work, at once: nothing waits for the minute to be over. */
const sweep = () => server.call("GET", "/cdn-cgi/handler/scheduled")

async function until(done: () => Promise<boolean>, sweepEveryMs = 2_000) {
  for (let sweptAt = Date.now(); !(await done()); await pause(20)) {
    if (Date.now() - sweptAt < sweepEveryMs) continue
    await sweep()
    sweptAt = Date.now()
  }
}

async function makeCampaign(): Promise<string> {
  const { data: domains } = await call("GET", "/domains")
  const book = await call("POST", "/contact-books", { name: "Readers" })
  const csv = ["email", ...contacts].join("\n")
  const { imported } = await call("POST", `/contact-books/${book.id}/contacts/import`, { csv })
  expect(imported).toBe(contacts.length)
  const { id } = await call("POST", "/campaigns", {
    name: "News",
    bookId: book.id,
    domainId: domains[0].id,
    from: "News <news@demo.test>",
    subject: "News",
    blocks: [{ kind: "text", html: "Hi" }],
  })
  return id
}

const share = (part: number) => Math.round(contacts.length * part)

interface Progress {
  status: string
  counts: { recipients: number; sent: number }
}

interface Cut {
  isReached(progress: Progress): boolean
  andMs: number
  sweepEveryMs?: number
}

/**
 * When the power is cut: as soon as the campaign is so far, and some milliseconds later. After
 * the fan-out there is still much to do: the flaky emails wait for 30 and 60 seconds.
 */
const CUTS: Cut[] = [
  // Without a sweep, which could end the whole fan-out meanwhile.
  {
    isReached: ({ counts }) => counts.recipients >= share(0.05),
    andMs: 0,
    sweepEveryMs: Number.POSITIVE_INFINITY,
  },
  { isReached: ({ counts }) => counts.recipients >= share(0.4), andMs: 15 },
  { isReached: ({ counts }) => counts.sent >= share(0.15), andMs: 40 },
  { isReached: ({ counts }) => counts.sent >= share(0.3), andMs: 5 },
  { isReached: ({ status }) => status === "sent", andMs: 120 },
]

/** The campaign's status when the power was cut. */
async function cutPower(id: string, { isReached, andMs, sweepEveryMs }: Cut) {
  let progress: Progress | undefined
  await until(async () => {
    progress = await call("GET", `/campaigns/${id}`)
    return isReached(progress as Progress)
  }, sweepEveryMs)
  await pause(andMs)
  await server.kill()
  await server.start()
  return progress?.status
}

/** What became of the campaign's emails, counted from the log alone. */
async function tally(id: string) {
  const emails = await pages(`/emails?campaignId=${id}&`)
  const statuses = Map.groupBy(emails, ({ status }) => status)
  const numberOf = (status: string) => statuses.get(status)?.length ?? 0
  const complained = statuses.get("complained") ?? []
  const timelines = await mapLimit(complained, 6, (email) => call("GET", `/emails/${email.id}`))
  const deliveredBefore = timelines.filter(({ events }) =>
    events.some(({ type }: { type: string }) => type === "delivered"),
  )
  return {
    emails,
    counts: {
      recipients: emails.length,
      sent: emails.filter(({ sentAt }) => sentAt !== null).length,
      delivered: numberOf("delivered") + deliveredBefore.length,
      opened: 0,
      clicked: 0,
      unsubscribed: 0,
      replied: 0,
      bounced: numberOf("bounced"),
      complained: complained.length,
      failed: numberOf("failed"),
    },
  }
}

it("a campaign whose server is killed five times on the way ends as one that is not", async () => {
  await call("POST", "/webhooks", {
    url: receiver.url,
    events: ["campaign.sent", "campaign.completed"],
  })
  const id = await makeCampaign()
  await call("POST", `/campaigns/${id}/send`)
  const cutIn = []
  for (const cut of CUTS) cutIn.push(await cutPower(id, cut))
  expect(new Set(cutIn), "during fan-out, and after it").toEqual(new Set(["sending", "sent"]))
  await until(async () => receiver.of("campaign.completed").length > 0)

  const campaign = await call("GET", `/campaigns/${id}`)
  const { emails, counts } = await tally(id)
  expect(campaign.status).toBe("sent")
  expect(campaign.counts).toEqual(counts)
  expect(counts).toEqual({
    recipients: contacts.length,
    sent: 10 * CONTACTS_A_MAILBOX,
    delivered: 7 * CONTACTS_A_MAILBOX,
    opened: 0,
    clicked: 0,
    unsubscribed: 0,
    replied: 0,
    bounced: 3 * CONTACTS_A_MAILBOX,
    complained: 2 * CONTACTS_A_MAILBOX,
    failed: CONTACTS_A_MAILBOX,
  })
  expect(emails.map(({ to }) => to[0]).toSorted()).toEqual(contacts.toSorted())

  // At the full hour owners get a notice about the bounces.
  const ids = new Set(emails.map(({ id }) => id))
  const inbox = (await pages("/sandbox/messages?")).filter(({ emailId }) => ids.has(emailId))
  expect(inbox.map(({ envelope }) => envelope.to[0]).toSorted()).toEqual(
    contacts.filter((address) => !rejected.includes(address)).toSorted(),
  )
  const sentEmails = emails.filter(({ status }) => status !== "failed")
  expect(inbox.map(({ emailId }) => emailId).toSorted()).toEqual(
    sentEmails.map((email) => email.id).toSorted(),
  )

  for (const type of ["campaign.sent", "campaign.completed"]) {
    const told = receiver.of(type)
    expect(new Set(told.map((event) => event.id)).size, type).toBe(1)
    expect(told[0].data.campaign).toMatchObject({ id, status: "sent" })
  }
  expect(receiver.of("campaign.completed")[0].data.campaign.counts).toEqual(counts)
}, 400_000)
