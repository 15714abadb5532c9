import { addThread, type Call } from "./pages.ts"
import { historyOf } from "./sample-history.ts"

interface Team {
  id: string
  /** A verified domain of the team. */
  domain: string
  /** The API as the holder of a key. */
  api: Call
  /** The dashboard's API as a person who is signed in. */
  session: Call
  /** Statements on the database. */
  execute(sql: string): void
  /** A receiver of webhooks that answers 200, and one that does not. */
  receivers: { works: string; fails: string }
}

const PEOPLE =
  "Ada Lovelace,Grace Hopper,Edsger Dijkstra,Barbara Liskov,Alan Turing,Katherine Johnson,Donald Knuth,Radia Perlman,Tim Lee,Margaret Hamilton,Ken Thompson,Frances Allen"
    .split(",")
    .map((name) => {
      const [firstName = "", lastName = ""] = name.split(" ")
      return { firstName, lastName, local: name.toLowerCase().replace(" ", ".") }
    })
const SUBJECTS = [
  ["Your invoice for November", "invoice"],
  ["Reset your password", "account"],
  ["Welcome to Acme", "welcome"],
  ["Your order has been sent", "order"],
  ["Your code is 482 913", "account"],
]

/** A team as it is in daily use. Returns the ids of what its pages show. */
export async function fillSampleTeam(team: Team): Promise<Record<string, string>> {
  const { api, session, domain, receivers } = team
  const webhook = await api("POST", "/webhooks", {
    url: receivers.works,
    events: ["email.delivered", "email.bounced", "email.complained"],
  })
  await api("POST", "/webhooks", { url: receivers.fails, events: ["email.bounced"] })
  const template = await addTemplates(api)
  const templateOfBlocks = await addTemplateOfBlocks(session)
  const book = await addContacts(api, `Acme News <news@${domain}>`)
  const domains = await addDomains(api, domain)
  const domainId = domains.verified
  await addKeys(api, domainId)
  const notes = { "support@example.net": "A shared mailbox", "old.customer@example.org": null }
  for (const [email, note] of Object.entries(notes)) {
    await api("POST", "/suppressions", { email, note })
  }
  const layout = await session("POST", "/layouts", {
    name: "Footer of the newsletter",
    blocks: [{ kind: "divider" }, { kind: "text", html: "Acme Ltd, 1 Main Street, London" }],
  })
  await session("PATCH", "/team", { postalAddress: "Acme Ltd, 1 Main Street, London" })
  const segment = await addSegments(api, book.id)
  await api("POST", "/topics", { name: "Product news", description: "New features, monthly" })
  const places = { bookId: book.id, segmentId: segment.id, domainId }
  const thread = await addThread(api, {
    domainId,
    address: `support@${domain}`,
    name: "Support",
    message: ["From: Ada Lovelace <ada@example.com>", "Subject: Where is it?", "", "Is it lost?"],
  })
  const form = await api("POST", "/forms", {
    bookId: book.id,
    name: "Monthly newsletter",
    wording: "Send me the newsletter once a month. I can unsubscribe at any time.",
    fields: [{ name: "firstName", label: "First name" }],
  })
  const sequence = await addSequence(api, { bookId: book.id, domainId, domain })
  const campaigns = await addCampaigns(api, { ...places, domain })
  await session("POST", "/invitations", { email: "new.colleague@acme.com", role: "member" })
  const emails = await sendEmails(api, domain)
  await untilEnded(api)
  team.execute(historyOf(team.id))
  const { data } = await session("GET", `/webhooks/${webhook.id}/deliveries`)
  return {
    ...emails,
    ...campaigns,
    recipient: "grace.hopper@example.com",
    message: emails.email,
    delivery: data[0].id,
    domain: domainId,
    pendingDomain: domains.pending,
    webhook: webhook.id,
    template: template.id,
    templateOfBlocks: templateOfBlocks.id,
    layout: layout.id,
    book: book.id,
    contact: book.contact,
    segment: segment.id,
    thread,
    form: form.id,
    sequence: sequence.id,
  }
}

/** A sequence in which people wait, and that one has left. */
async function addSequence(
  api: Call,
  { bookId, domainId, domain }: { bookId: string; domainId: string; domain: string },
) {
  const mail = (key: string, subject: string, html: string) => ({
    ...{ key, kind: "send", subject },
    blocks: [{ kind: "text", html }],
  })
  const sequence = await api("POST", "/sequences", {
    ...{ bookId, domainId, name: "Welcome series", from: `Acme News <news@${domain}>` },
    trigger: { on: "call" },
    steps: [
      mail("hello", "Welcome, {{ firstName }}", "Thanks for joining."),
      { key: "pause", kind: "wait", for: "3d" },
      {
        ...{ key: "has-opened", kind: "branch" },
        cases: [
          {
            filter: { all: [{ activity: "opened" }] },
            steps: [mail("tips", "Five tips for the first week", "Start with one of them.")],
          },
        ],
        else: [mail("again", "Did you see this?", "In case that our first email was lost.")],
      },
    ],
  })
  await api("POST", `/sequences/${sequence.id}/activate`)
  const { data } = await api("GET", `/contact-books/${bookId}/contacts?limit=10`)
  const contactIds = data.map(({ id }: { id: string }) => id)
  await api("POST", `/sequences/${sequence.id}/contacts`, { contactIds })
  const { data: runs } = await api("GET", `/sequences/${sequence.id}/runs`)
  await api("POST", `/runs/${runs[0].id}/end`)
  return sequence
}

async function sendEmails(api: Call, domain: string) {
  const from = `Acme <hello@${domain}>`
  const mailbox = ({ local }: { local: string }, index: number) => {
    const simulated = { 7: "bounce", 20: "complaint", 33: "softbounce", 46: "delay" }[index]
    return simulated ? `${simulated}+${local}@simulator.amazonses.com` : `${local}@example.com`
  }
  const messages = Array.from({ length: 60 }, (_, index) => {
    const person = PEOPLE[(index * 7) % PEOPLE.length] as (typeof PEOPLE)[number]
    const [subject = "", kind = ""] = SUBJECTS[(index * 3) % SUBJECTS.length] as string[]
    return {
      from,
      to: mailbox(person, index),
      subject,
      html: bodyOf(person.firstName, subject),
      text: `Hello ${person.firstName},\n\n${subject}.\n`,
      tags: { kind },
    }
  })
  const sent = await api("POST", "/emails/batch", messages)
  await api("POST", "/emails", { ...messages[0], from: "Acme <hello@acme.com>" })
  await api("POST", "/templates", { name: "Welcome" })
  await api("POST", "/emails", {
    ...messages[0],
    to: "grace.hopper@example.com",
    subject: "Your trial ends tomorrow",
    scheduledAt: new Date(Date.now() + 20 * 3_600_000).toISOString(),
  })
  return { email: sent.data[59].id as string, bounced: sent.data[7].id as string }
}

const bodyOf = (name: string, subject: string) =>
  `<div style="max-width:560px;margin:24px auto;font-family:sans-serif;color:#222"><h1 style="font-size:22px">${subject}</h1><p>Hello ${name},</p><p>thank you for being with us. The details are on your page.</p><p><a href="https://example.com/account" style="display:inline-block;background:#1a56db;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none">Open your account</a></p><p style="color:#777;font-size:12px">Acme Ltd, 1 Main Street, London</p></div>`

async function addTemplates(api: Call) {
  let last: { id: string } | undefined
  for (const name of ["Order sent", "Password reset", "Invoice", "Welcome"]) {
    last = await api("POST", "/templates", {
      slug: name.toLowerCase().replace(" ", "-"),
      name,
      subject: `${name}: hello {{ name }}`,
      bodyHtml: bodyOf("{{ name }}", name).replaceAll(/(<(?:h1|p|\/div))/g, "\n  $1"),
      variablesSchema: { variables: [{ name: "name", type: "string", default: "there" }] },
    })
  }
  return last as { id: string }
}

const addTemplateOfBlocks = (session: Call) =>
  session("POST", "/template-drafts", {
    slug: "trial-ends",
    name: "Trial ends",
    subject: "Your trial ends on {{ day }}",
    bodyHtml: "-",
    bodyText: null,
    variablesSchema: { variables: [{ name: "day", type: "string", default: "Friday" }] },
    design: {
      blocks: [
        { kind: "heading", level: 1, text: "Your trial ends on {{ day }}" },
        { kind: "text", html: "Choose a plan to <strong>keep your data</strong>." },
        { kind: "button", label: "Choose a plan", url: "https://example.com/plans" },
      ],
    },
  })

async function addContacts(api: Call, defaultFrom: string) {
  await api("POST", "/contact-books", { name: "Beta testers" })
  const book = await api("POST", "/contact-books", { name: "Newsletter", defaultFrom })
  let first = ""
  for (const [index, { firstName, lastName, local }] of PEOPLE.entries()) {
    const contact = await api("POST", `/contact-books/${book.id}/contacts`, {
      email: index === 4 ? "bounce+turing@simulator.amazonses.com" : `${local}@example.com`,
      firstName,
      lastName,
      properties: { city: ["London", "Paris", "Berlin"][index % 3], plan: "pro" },
    })
    first ||= contact.id
    if (index % 5 !== 3) continue
    await api("PATCH", `/contact-books/${book.id}/contacts/${contact.id}`, { subscribed: false })
  }
  return { id: book.id as string, contact: first }
}

async function addSegments(api: Call, bookId: string) {
  const add = (name: string, filter: object) => api("POST", "/segments", { bookId, name, filter })
  await add("Has never opened", { all: [{ activity: "opened", not: true }] })
  return add("Pro users in London or Paris", {
    all: [
      { field: "properties.plan", op: "is", value: "pro" },
      {
        any: ["London", "Paris"].map((value) => ({ field: "properties.city", op: "is", value })),
      },
    ],
  })
}

async function addDomains(
  api: Call,
  domain: string,
): Promise<Record<"verified" | "pending", string>> {
  const { id: pending } = await api("POST", "/domains", { name: "unverified.acme.com" })
  const { data } = await api("GET", "/domains")
  const verified = data.find(({ name }: { name: string }) => name === domain).id
  return { verified, pending }
}

async function addKeys(api: Call, domainId: string) {
  await api("POST", "/api-keys", { name: "Back office", permission: "full" })
  await api("POST", "/api-keys", { name: "Shop", permission: "sending_only", domainId })
}

async function addCampaigns(
  api: Call,
  { domain, ...places }: { bookId: string; segmentId: string; domainId: string; domain: string },
) {
  const create = (name: string) =>
    api("POST", "/campaigns", {
      ...places,
      name,
      from: `Acme News <news@${domain}>`,
      subject: `${name} for {{ firstName }}`,
      mergeDefaults: { firstName: "you", "properties.city": "your city" },
      blocks: [
        { kind: "heading", level: 1, text: name },
        { kind: "text", html: "Hello <strong>{{ firstName }}</strong>, this is new with us." },
        { kind: "button", label: "Read on", url: "https://example.com/news" },
        { kind: "divider" },
        { kind: "text", html: "See you in {{ properties.city }}." },
        { kind: "text", html: '<a href="{{ preferencesUrl }}">Choose your emails</a>' },
      ],
    })
  const sent = await create("October news")
  await api("POST", `/campaigns/${sent.id}/send`)
  const scheduled = await create("November news")
  const at = new Date(Date.now() + 2 * 86_400_000).toISOString()
  await api("POST", `/campaigns/${scheduled.id}/schedule`, { scheduledAt: at })
  const draft = await create("Winter sale")
  return { campaign: draft.id, sentCampaign: sent.id, scheduledCampaign: scheduled.id }
}

/** Waits until nothing is on its way. */
async function untilEnded(api: Call) {
  for (let tries = 0; tries < 60; tries++) {
    const { data } = await api("GET", "/emails?limit=100")
    if (data.every(({ status }: { status: string }) => /^(del|bou|com|fai|sch)/.test(status)))
      return
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
