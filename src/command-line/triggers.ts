import { setTimeout as sleep } from "node:timers/promises"
import type { Domain, Edgepost } from "../client/index.ts"
import type { EventType } from "../worker/webhooks/events/types.ts"
import { UsageError } from "./failure.ts"

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 500
const SIMULATOR = "simulator.amazonses.com"

interface Trial {
  client: Edgepost
  baseUrl: string
  domain: Domain
  from: string
  /** A new name for what is made. */
  label: string
  say(step: string): void
  signal: AbortSignal
}

/** Makes an event of the type happen. Answers the ids of what it is about. */
type Trigger = (trial: Trial) => Promise<object>

export const TRIGGERS: Record<EventType, Trigger> = {
  "email.sent": mailTo("success", "sent"),
  "email.delivered": mailTo("success", "delivered"),
  "email.delayed": inSandbox(mailTo("delay", "delayed")),
  "email.bounced": mailTo("bounce", "bounced"),
  "email.complained": mailTo("complaint", "complained"),
  "email.opened": inSandbox(follow("opened", "/t/o/")),
  "email.clicked": inSandbox(follow("clicked", "/t/c/")),
  "email.failed": inSandbox(mailTo("reject", "failed")),
  "domain.verified": inSandbox(addDomain("verified")),
  "domain.failed": inSandbox(addDomain("failed")),
  "contact.created": changeContact(),
  "contact.updated": changeContact({ firstName: "Ada" }),
  "contact.unsubscribed": changeContact({ subscribed: false }),
  "contact.resubscribed": changeContact({ subscribed: false }, { subscribed: true }),
  "contact.pending": askContact({ confirms: false }),
  "contact.confirmed": inSandbox(askContact({ confirms: true })),
  "campaign.sent": sendCampaign("sent"),
  "campaign.completed": sendCampaign("delivered"),
  "email.received": inSandbox(receive(false)),
  "email.replied": inSandbox(receive(true)),
  "sequence.started": runSequence(),
  "sequence.finished": runSequence(),
  "sequence.reached": runSequence(),
  "sequence.held": runSequence(),
}

/** Only the sandbox plays this event. */
function inSandbox(trigger: Trigger): Trigger {
  return (trial) => {
    if (trial.domain.provider !== "sandbox") throw cannot(trial.domain, "the sandbox")
    return trigger(trial)
  }
}

const cannot = ({ provider }: Domain, needed: string) =>
  new UsageError(
    `The provider ${provider} cannot play this event, only ${needed} can. 'edgepost webhooks test ID' sends a test event to one webhook.`,
  )

function assertSimulator(domain: Domain): void {
  if (!["sandbox", "ses"].includes(domain.provider)) throw cannot(domain, "the sandbox or SES")
}

const simulated = ({ label }: Trial, mailbox: string) => `${mailbox}+${label}@${SIMULATOR}`

/** An email to a mailbox of the simulator, which then has this entry on its timeline. */
function mailTo(mailbox: string, type: string): Trigger {
  return async (trial) => {
    const emailId = await send(trial, simulated(trial, mailbox))
    return { emailId, eventId: await untilOnTimeline(trial, emailId, type) }
  }
}

async function send(trial: Trial, to: string, tracking: object = {}): Promise<string> {
  const { client, domain, from, say, label } = trial
  assertSimulator(domain)
  const { id } = await client.emails.send({
    from,
    to,
    subject: `Sent by edgepost trigger`,
    html: '<p>A test of <a href="https://example.com/">edgepost trigger</a>.</p>',
    tags: { trigger: label },
    idempotencyKey: label,
    ...tracking,
  })
  say(`Sent ${id} from ${from} to ${to}.`)
  return id
}

async function untilOnTimeline(trial: Trial, emailId: string, type: string): Promise<string> {
  return until(trial, `${emailId} to be ${type}`, async () => {
    const { events } = await trial.client.emails.get(emailId)
    return events.find((event) => event.type === type)?.id
  })
}

async function until<T>(
  { signal }: Trial,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`Waited a minute for ${what}.`)
    await sleep(LOOK_EVERY_MS, null, { signal })
  }
}

/** Mail to a new inbox of the domain, which may answer an email. */
function receive(isReply: boolean): Trigger {
  return async (trial) => {
    const { client, domain, label, say } = trial
    const { mode } = domain.receiving
    if (mode === "off") await client.domains.update(domain.id, { receiving: "forward" })
    const { id: inboxId, address } = await client.inboxes.create({
      address: `${label}@${domain.name}`,
    })
    try {
      const answered = isReply ? await send(trial, simulated(trial, "success")) : undefined
      const message = [
        "From: Ada <ada@example.com>",
        `To: ${address}`,
        "Subject: Received by edgepost trigger",
        `Message-ID: <${label}@example.com>`,
        ...(answered ? [`In-Reply-To: <${answered}@${domain.name}>`] : []),
        "",
        "A test of edgepost trigger.",
      ]
      const bytes = new TextEncoder().encode(message.join("\r\n"))
      const { id } = await client.receivedEmails.create(bytes, {
        to: address,
        from: "ada@example.com",
      })
      say(`Handed ${id} in to the new inbox ${address}.`)
      await until(trial, `${id} to be worked off`, async () => {
        const { parsed } = await client.receivedEmails.get(id)
        return parsed ?? undefined
      })
      return { receivedId: id, ...(answered && { emailId: answered }) }
    } finally {
      await client.inboxes.remove(inboxId)
      if (mode === "off") await client.domains.update(domain.id, { receiving: "off" })
      say("Removed the inbox.")
    }
  }
}

/** Follows the pixel or the link of an email, as its reader would. */
function follow(type: string, path: string): Trigger {
  return async (trial) => {
    const { client, baseUrl, say, signal } = trial
    const tracking = { trackOpens: true, trackClicks: true }
    const emailId = await send(trial, simulated(trial, "success"), tracking)
    const { data } = await client.sandbox.wait({ emailId, limit: 1 }, { signal })
    const [token] = new RegExp(`(?<=${path})[^"]+`).exec(data[0]?.html ?? "") ?? []
    if (!token) throw new Error(`${emailId} has no tracked link in the test inbox.`)
    await untilOnTimeline(trial, emailId, "delivered")
    const link = new URL(`${path}${token}`, baseUrl)
    await (await fetch(link, { redirect: "manual", signal })).body?.cancel()
    say(`Followed its ${type === "opened" ? "pixel" : "link"}: ${link}`)
    return { emailId, eventId: await untilOnTimeline(trial, emailId, type) }
  }
}

/** In the sandbox, the first label of a domain's name decides about its check. */
function addDomain(outcome: "verified" | "failed"): Trigger {
  return async ({ client, label, say }) => {
    const name = `${outcome}.${label}.test`
    const { id } = await client.domains.create({ name })
    say(`Added the domain ${name} and checked it.`)
    const { status } = await client.domains.verify(id)
    await client.domains.remove(id)
    say(`Removed it again.`)
    if (status !== outcome) throw new Error(`The domain is ${status}.`)
    return { domainId: id }
  }
}

/** A contact of a new book, and these changes of it. */
function changeContact(...changes: { firstName?: string; subscribed?: boolean }[]): Trigger {
  return async (trial) => {
    const { client, label, say } = trial
    const { id: bookId } = await client.contactBooks.create({ name: label })
    try {
      const email = simulated(trial, "success")
      const { id } = await client.contacts.create(bookId, { email })
      say(`Added the contact ${email} to a new book.`)
      for (const change of changes) {
        await client.contacts.update(bookId, id, change)
        say(`Changed it: ${JSON.stringify(change)}`)
      }
      return { contactId: id }
    } finally {
      await client.contactBooks.remove(bookId)
      say("Removed the book and its contact.")
    }
  }
}

/** A contact of a new book that is asked by mail, and its answer. */
function askContact({ confirms }: { confirms: boolean }): Trigger {
  return async (trial) => {
    const { client, baseUrl, domain, from, label, say, signal } = trial
    assertSimulator(domain)
    const { id: bookId } = await client.contactBooks.create({ name: label, defaultFrom: from })
    try {
      const email = simulated(trial, "success")
      const { id } = await client.contacts.create(bookId, { email, confirm: true })
      say(`Asked the contact ${email} of a new book to confirm.`)
      if (confirms) {
        const { data } = await client.sandbox.wait({ to: email, limit: 1 }, { signal })
        const [path] = /\/confirm\/[\w.-]+/.exec(data[0]?.text ?? "") ?? []
        if (!path) throw new Error("The mail that asks is not in the test inbox.")
        await (await fetch(new URL(path, baseUrl), { method: "POST", signal })).body?.cancel()
        say("Confirmed by the link of the mail.")
      }
      return { contactId: id }
    } finally {
      await client.contactBooks.remove(bookId)
      say("Removed the book and its contact.")
    }
  }
}

/** A campaign to one contact of the simulator. */
function sendCampaign(count: "sent" | "delivered"): Trigger {
  return async (trial) => {
    const { client, domain, from, label, say } = trial
    assertSimulator(domain)
    const hasHappened = await createWatch(client)
    const { id: bookId } = await client.contactBooks.create({ name: label })
    const email = simulated(trial, "success")
    await client.contacts.create(bookId, { email })
    const { id } = await client.campaigns.create({
      name: label,
      bookId,
      domainId: domain.id,
      from,
      subject: "Sent by edgepost trigger",
      blocks: [{ kind: "text", html: "A test of edgepost trigger." }],
    })
    await client.campaigns.sendNow(id)
    say(`Sent the campaign ${id} from ${from} to a new book with ${email}.`)
    const type = count === "sent" ? "campaign.sent" : "campaign.completed"
    await until(trial, `${type} of ${id}`, async () => {
      const { counts } = await client.campaigns.get(id)
      return (counts[count] > 0 && (await hasHappened(type, id))) || undefined
    })
    await client.campaigns.remove(id)
    await client.contactBooks.remove(bookId)
    say("Removed the campaign and the book.")
    return { campaignId: id }
  }
}

/** Tells whether an event of a campaign is among the new ones. Without a webhook, no events are kept. */
async function createWatch(client: Edgepost) {
  const { data } = await client.webhooks.list({ limit: 1 })
  const { after } = await client.events.position()
  return async (asked: EventType, campaignId: string): Promise<boolean> => {
    if (data.length === 0) return (await client.campaigns.get(campaignId)).status === "sent"
    for await (const event of client.events.iterate({ after })) {
      const { campaign } = event.data as { campaign?: { id?: unknown } }
      if (event.type === asked && campaign?.id === campaignId) return true
    }
    return false
  }
}

/** A contact of a new book goes through a sequence that is held, and then to its end. */
function runSequence(): Trigger {
  return async (trial) => {
    const { client, domain, from, label, say } = trial
    assertSimulator(domain)
    const { id: bookId } = await client.contactBooks.create({ name: label })
    const email = simulated(trial, "success")
    const { id: contactId } = await client.contacts.create(bookId, { email })
    const template = { slug: label, name: label, subject: "A", bodyHtml: "<p>{{ missing }}</p>" }
    const { id: templateId } = await client.templates.create(template)
    const { id } = await client.sequences.create({
      bookId,
      name: label,
      domainId: domain.id,
      from,
      trigger: { on: "call" },
      steps: [
        { key: "tell", kind: "notify" },
        { key: "mail", kind: "send", subject: "Sent by edgepost trigger", templateId },
      ],
    })
    await client.sequences.activate(id)
    await client.sequences.start(id, { contactIds: [contactId] })
    const read = async () => (await client.sequences.runs(id)).data[0]
    const runId = await until(trial, `the run of ${id} to be held`, async () => {
      const run = await read()
      return run?.state === "held" ? run.id : undefined
    })
    await client.runs.end(runId)
    say(`Sent ${email} through the sequence ${id}.`)
    await client.sequences.archive(id)
    await client.sequences.remove(id)
    await client.templates.remove(templateId)
    await client.contactBooks.remove(bookId)
    say("Removed the sequence, the template and the book.")
    return { sequenceId: id, runId }
  }
}
