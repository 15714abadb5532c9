import { setTimeout as sleep } from "node:timers/promises"
import { type MailboxName, mailboxAddress } from "./addresses.ts"
import type { Journal, Send } from "./journal.ts"
import type { Edgepost, PackedClient } from "./packed-client.ts"

export interface LoadOptions {
  client: Edgepost
  packed: PackedClient
  journal: Journal
  random: () => number
  mailboxes: readonly MailboxName[]
}

const SENDERS = 4
const PAUSE_MS = 150
const RETRY_MS = 300
/** The server is away for some seconds at each kill. */
const TRIES = 400
const BATCH = 8
const CAMPAIGN_CONTACTS = 120

/** Callers that send until `stop`, and repeat with the same key what was not answered. */
export function startLoad(options: LoadOptions) {
  const { random, journal } = options
  let isOver = false
  let sent = 0
  const sender = async () => {
    while (!isOver) {
      const key = `send-${++sent}`
      const kind = random()
      if (kind < 0.15) await sendBatch(options, key)
      else if (kind < 0.25) await sendAndCancel(options, key)
      else await sendOne(options, key, kind < 0.35 ? 1 + random() * 8 : 0)
      await sleep(random() * 2 * PAUSE_MS)
    }
  }
  const guarded = () =>
    sender().catch((error) => void journal.violations.push(`A caller failed: ${error}`))
  const work = Promise.all(Array.from({ length: SENDERS }, guarded))
  return {
    async stop(): Promise<void> {
      isOver = true
      await work
    },
  }
}

/** Repeats a call until it is answered. Answers how often it was not, too. */
async function untilAnswered<T>(
  { packed: { EdgepostError }, journal }: LoadOptions,
  work: () => Promise<T>,
): Promise<{ answer: T; unanswered: number }> {
  for (let unanswered = 0; unanswered < TRIES; unanswered++) {
    try {
      return { answer: await work(), unanswered }
    } catch (error) {
      if (!(error instanceof EdgepostError) || !error.retryable) throw error
      journal.unanswered++
      await sleep(RETRY_MS)
    }
  }
  throw new Error("The server was never back")
}

const inputOf = ({ random, mailboxes, journal }: LoadOptions, key: string) => {
  const mailbox = mailboxes[Math.floor(random() * mailboxes.length)] as MailboxName
  const to = mailboxAddress(mailbox, key)
  const send: Send = { to, unanswered: 0, isCancelled: false }
  journal.sends.set(key, send)
  const input = { from: "chaos@demo.test", to, subject: key, text: "Hi", tags: { chaos: key } }
  return { send, input }
}

async function sendOne(options: LoadOptions, key: string, inSeconds = 0): Promise<Send> {
  const { client, journal, random } = options
  const { send, input } = inputOf(options, key)
  const later = inSeconds > 5 && { scheduledAt: new Date(Date.now() + inSeconds * 1000) }
  const post = () => client.emails.send({ ...input, ...later }, { idempotencyKey: key })
  const { answer, unanswered } = await untilAnswered(options, post)
  send.id = answer.id
  send.unanswered = unanswered
  if (random() < 0.1) {
    journal.repeated++
    const { answer: again } = await untilAnswered(options, post)
    if (again.id !== answer.id) journal.violations.push(`${key} is ${answer.id} and ${again.id}`)
  }
  return send
}

async function sendBatch(options: LoadOptions, key: string): Promise<void> {
  const items = Array.from({ length: BATCH }, (_, index) => inputOf(options, `${key}-${index}`))
  const inputs = items.map(({ input }) => input)
  const { answer, unanswered } = await untilAnswered(options, () =>
    options.client.emails.batch(inputs, { idempotencyKey: key }),
  )
  answer.data.forEach(({ id }, index) => {
    const { send } = items[index] as (typeof items)[0]
    send.id = id
    send.unanswered = unanswered
  })
}

async function sendAndCancel(options: LoadOptions, key: string): Promise<void> {
  const send = await sendOne(options, key, 20)
  try {
    await untilAnswered(options, () => options.client.emails.cancel(send.id as string))
    send.isCancelled = true
  } catch (error) {
    // A 409: the email was on its way before.
    if (!(error instanceof options.packed.EdgepostError && error.code === "conflict")) throw error
  }
}

/** Sends a campaign to a book of its own. */
export async function startCampaign(options: LoadOptions): Promise<void> {
  const { client, mailboxes, journal } = options
  const addresses = Array.from({ length: CAMPAIGN_CONTACTS }, (_, index) =>
    mailboxAddress(mailboxes[index % mailboxes.length] as MailboxName, `reader-${index}`),
  )
  const [domain] = (await client.domains.list()).data
  const book = await client.contactBooks.create({ name: "Readers" })
  await client.contactBooks.import(book.id, { csv: ["email", ...addresses].join("\n") })
  const { id } = await client.campaigns.create({
    name: "News",
    bookId: book.id,
    domainId: domain?.id ?? "",
    from: "News <news@demo.test>",
    subject: "News",
    blocks: [{ kind: "text", html: "Hi" }],
  })
  journal.campaigns.push({ id, addresses })
  await client.campaigns.sendNow(id)
}
