import { env } from "cloudflare:workers"
import { recordEvents } from "../../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../../src/worker/emails/outcomes/report.ts"
import { campaignInput, makeBook, makeCampaign, pause } from "../../../support/campaign.ts"
import { acceptForLater } from "../../../support/mail.ts"
import { makeInbox, messageTo, receive } from "../../../support/receiving.ts"
import { send, sequenceInput, wait } from "../../../support/sequence.ts"
import type { Team } from "../../../support/team.ts"
import { testWork } from "../../../support/work.ts"

export interface Example {
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** For each endpoint a call that succeeds, made ready on the team. */
export const examples: Record<string, (team: Team) => Promise<Example> | Example> = {
  "GET /me": () => ({ path: "/me" }),
  "POST /api-keys": () => ({ path: "/api-keys", body: { name: "CI" } }),
  "GET /api-keys": () => ({ path: "/api-keys" }),
  "DELETE /api-keys/:id": async ({ api }) => {
    const { body } = await api.post("/api-keys", { name: "Old" })
    return { path: `/api-keys/${body.id}` }
  },
  "GET /refused-calls": async ({ api }) => {
    await api.get("/emails/em_none")
    return { path: "/refused-calls" }
  },
  "POST /emails": (team) => ({ path: "/emails", body: message(team) }),
  "POST /emails/batch": (team) => ({ path: "/emails/batch", body: [message(team)] }),
  "POST /emails/raw": (team) => ({
    path: "/emails/raw?to=someone%40example.com",
    body: rawMessage(team),
  }),
  "GET /emails/:id/raw": async (team) => {
    const { body } = await team.api.post("/emails/raw?to=someone%40example.com", rawMessage(team))
    await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    return { path: `/emails/${body.id}/raw` }
  },
  "POST /emails/check": (team) => ({ path: "/emails/check", body: message(team) }),
  "GET /emails/:id/explain": async (team) => ({
    path: `/emails/${await scheduled(team)}/explain`,
  }),
  "GET /emails/:id/content": async (team) => ({
    path: `/emails/${await scheduled(team)}/content`,
  }),
  "GET /emails/:id/source": async (team) => ({ path: `/emails/${await scheduled(team)}/source` }),
  "GET /emails/:id/attachments/:position": async (team) => {
    const attachments = [{ filename: "hi.txt", content: "SGk=" }]
    const { body } = await team.api.post("/emails", { ...message(team), attachments })
    return { path: `/emails/${body.id}/attachments/0` }
  },
  "GET /emails/:id/deliveries": async (team) => ({
    path: `/emails/${await scheduled(team)}/deliveries`,
  }),
  "GET /emails": async (team) => {
    await scheduled(team)
    return { path: "/emails" }
  },
  "GET /emails/:id": async (team) => ({ path: `/emails/${await scheduled(team)}` }),
  "PATCH /emails/:id": async (team) => ({
    path: `/emails/${await scheduled(team)}`,
    body: { scheduledAt: inAnHour() },
  }),
  "POST /emails/:id/cancel": async (team) => ({ path: `/emails/${await scheduled(team)}/cancel` }),
  "POST /templates": () => ({ path: "/templates", body: template }),
  "GET /templates": async (team) => {
    await templatePath(team)
    return { path: "/templates" }
  },
  "GET /templates/:slugOrId": async (team) => ({ path: await templatePath(team) }),
  "PATCH /templates/:slugOrId": async (team) => ({
    path: await templatePath(team),
    body: { name: "New" },
  }),
  "DELETE /templates/:slugOrId": async (team) => ({ path: await templatePath(team) }),
  "POST /templates/:slugOrId/render": async (team) => ({
    path: `${await templatePath(team)}/render`,
    body: { variables: { name: "Ada" } },
  }),
  "POST /contact-books": () => ({ path: "/contact-books", body: { name: "Readers" } }),
  "GET /contact-books": async (team) => {
    await bookPath(team)
    return { path: "/contact-books" }
  },
  "GET /contact-books/:id": async (team) => ({ path: await bookPath(team) }),
  "PATCH /contact-books/:id": async (team) => ({
    path: await bookPath(team),
    body: { name: "New" },
  }),
  "DELETE /contact-books/:id": async (team) => ({ path: await bookPath(team) }),
  "POST /contact-books/:id/contacts/import": async (team) => ({
    path: `${await bookPath(team)}/contacts/import`,
    body: { csv: "email\na@example.com\nnope" },
  }),
  "POST /contact-books/:id/contacts": async (team) => ({
    path: `${await bookPath(team)}/contacts`,
    body: { email: "a@example.com" },
  }),
  "GET /contact-books/:id/contacts": async (team) => {
    const path = await contactPath(team)
    return { path: path.slice(0, path.lastIndexOf("/")) }
  },
  "GET /contact-books/:id/contacts/:contactId": async (team) => ({
    path: await contactPath(team),
  }),
  "PATCH /contact-books/:id/contacts/:contactId": async (team) => ({
    path: await contactPath(team),
    body: { firstName: "Ada" },
  }),
  "DELETE /contact-books/:id/contacts/:contactId": async (team) => ({
    path: await contactPath(team),
  }),
  "POST /contacts/unsubscribe": () => ({
    path: "/contacts/unsubscribe",
    body: { email: "a@example.com" },
  }),
  "GET /contact-books/:id/contacts/:contactId/consent": async (team) => ({
    path: `${await contactPath(team)}/consent`,
  }),
  "POST /forms": async (team) => {
    const { bookId } = await formOf(team)
    return { path: "/forms", body: { bookId, name: "News", wording: "Send me news." } }
  },
  "GET /forms": async (team) => {
    await formOf(team)
    return { path: "/forms" }
  },
  "GET /forms/:id": async (team) => ({ path: `/forms/${(await formOf(team)).id}` }),
  "PATCH /forms/:id": async (team) => ({
    path: `/forms/${(await formOf(team)).id}`,
    body: { enabled: false },
  }),
  "DELETE /forms/:id": async (team) => ({ path: `/forms/${(await formOf(team)).id}` }),
  "POST /segments": async (team) => {
    const { bookId, filter } = await segmentOf(team)
    return { path: "/segments", body: { bookId, filter, name: "Readers" } }
  },
  "GET /segments": async (team) => {
    await segmentOf(team)
    return { path: "/segments" }
  },
  "GET /segments/:id": async (team) => ({ path: `/segments/${(await segmentOf(team)).id}` }),
  "PATCH /segments/:id": async (team) => ({
    path: `/segments/${(await segmentOf(team)).id}`,
    body: { name: "Writers" },
  }),
  "DELETE /segments/:id": async (team) => ({ path: `/segments/${(await segmentOf(team)).id}` }),
  "GET /segments/:id/contacts": async (team) => ({
    path: `/segments/${(await segmentOf(team)).id}/contacts`,
  }),
  "POST /topics": () => ({ path: "/topics", body: { name: "Product news" } }),
  "GET /topics": async (team) => {
    await topicPath(team)
    return { path: "/topics" }
  },
  "PATCH /topics/:id": async (team) => ({
    path: await topicPath(team),
    body: { default: "unsubscribed" },
  }),
  "DELETE /topics/:id": async (team) => ({ path: await topicPath(team) }),
  "POST /domains": ({ domain }) => ({ path: "/domains", body: { name: `mail.${domain}` } }),
  "GET /domains": () => ({ path: "/domains" }),
  "GET /domains/:id": ({ domainId }) => ({ path: `/domains/${domainId}` }),
  "DELETE /domains/:id": ({ domainId }) => ({ path: `/domains/${domainId}` }),
  "POST /domains/:id/verify": ({ domainId }) => ({ path: `/domains/${domainId}/verify` }),
  "POST /campaigns": async (team) => ({
    path: "/campaigns",
    body: campaignInput(team, await makeBook(team, [])),
  }),
  "GET /campaigns": async (team) => {
    await makeCampaign(team)
    return { path: "/campaigns" }
  },
  "POST /sequences": async (team) => ({
    path: "/sequences",
    body: sequenceInput(team, (await bookPath(team)).split("/").at(-1) ?? ""),
  }),
  "GET /sequences": async (team) => {
    await sequencePath(team)
    return { path: "/sequences" }
  },
  "GET /sequences/:id": async (team) => ({ path: await sequencePath(team) }),
  "PATCH /sequences/:id": async (team) => ({
    path: await sequencePath(team),
    body: { version: 1, name: "New" },
  }),
  "DELETE /sequences/:id": async (team) => ({
    path: (await madeSequence(team, { active: false })).path,
  }),
  "POST /sequences/:id/activate": async (team) => ({
    path: `${(await madeSequence(team, { active: false })).path}/activate`,
  }),
  "POST /sequences/:id/pause": async (team) => ({ path: `${await sequencePath(team)}/pause` }),
  "POST /sequences/:id/archive": async (team) => ({ path: `${await sequencePath(team)}/archive` }),
  "POST /sequences/:id/resume": async (team) => ({ path: `${await sequencePath(team)}/resume` }),
  "POST /sequences/:id/contacts": async (team) => {
    const { path, contactId } = await madeSequence(team, { on: "call" })
    return { path: `${path}/contacts`, body: { contactIds: [contactId] } }
  },
  "GET /sequences/:id/runs": async (team) => ({ path: `${await sequencePath(team)}/runs` }),
  "GET /sequences/:id/steps": async (team) => ({ path: `${await sequencePath(team)}/steps` }),
  "POST /sequences/:id/preview": async (team) => ({
    path: `${await sequencePath(team)}/preview`,
    body: { steps: [] },
  }),
  "POST /sequences/:id/simulate": async (team) => ({
    path: `${await sequencePath(team)}/simulate`,
    body: { contact: {}, startAt: inAnHour() },
  }),
  "GET /runs/:id": async (team) => ({ path: await runPath(team) }),
  "POST /runs/:id/end": async (team) => ({ path: `${await runPath(team)}/end` }),
  "POST /runs/:id/skip": async (team) => ({ path: `${await runPath(team)}/skip` }),
  "POST /events": async (team) => {
    const [, , book] = (await contactPath(team)).split("/")
    return { path: "/events", body: { name: "order.paid", email: "ada@example.com", bookId: book } }
  },
  "GET /contact-books/:id/contacts/:contactId/events": async (team) => ({
    path: `${await contactPath(team)}/events`,
  }),
  "GET /campaigns/:id": async (team) => ({ path: await campaignPath(team) }),
  "PATCH /campaigns/:id": async (team) => ({
    path: await campaignPath(team),
    body: { theme: { font: "serif" }, replyTo: null },
  }),
  "DELETE /campaigns/:id": async (team) => ({ path: await campaignPath(team) }),
  "GET /campaigns/:id/audience": async (team) => ({ path: `${await campaignPath(team)}/audience` }),
  "GET /campaigns/:id/links": async (team) => ({ path: `${await campaignPath(team)}/links` }),
  "GET /templates/:slugOrId/links": async (team) => ({
    path: `${await templatePath(team)}/links`,
  }),
  "POST /campaigns/:id/schedule": async (team) => ({
    path: `${await campaignPath(team)}/schedule`,
    body: { scheduledAt: inAnHour() },
  }),
  "POST /campaigns/:id/send": async (team) => ({ path: `${await campaignPath(team)}/send` }),
  "POST /campaigns/:id/cancel": async (team) => ({
    path: `${await scheduledCampaignPath(team)}/cancel`,
  }),
  "POST /campaigns/:id/pause": async (team) => {
    const id = await makeCampaign(team)
    await env.DB.prepare("update campaigns set status = 'sending' where id = ?").bind(id).run()
    return { path: `/campaigns/${id}/pause` }
  },
  "POST /campaigns/:id/resume": async (team) => {
    const id = await makeCampaign(team, undefined, { brake: true })
    await pause(team, id)
    return { path: `/campaigns/${id}/resume` }
  },
  "GET /stats": () => ({ path: "/stats" }),
  "POST /suppressions": () => ({ path: "/suppressions", body: { email: "a@example.com" } }),
  "POST /suppressions/import": () => ({
    path: "/suppressions/import",
    body: { csv: "email,reason\na@example.com,bounce\nnobody," },
  }),
  "GET /stream": () => ({ path: "/stream" }),
  "GET /suppressions": async ({ api }) => {
    await api.post("/suppressions", { email: "a@example.com" })
    return { path: "/suppressions" }
  },
  "DELETE /suppressions/:email": async ({ api, domain }) => {
    await api.post("/suppressions", { email: `a@${domain}` })
    return { path: `/suppressions/a%40${domain}` }
  },
  "POST /webhooks": () => ({ path: "/webhooks", body: webhook }),
  "GET /webhooks": async (team) => {
    await madeWebhook(team)
    return { path: "/webhooks" }
  },
  "GET /webhooks/:id": async (team) => ({ path: `/webhooks/${await madeWebhook(team)}` }),
  "PATCH /webhooks/:id": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}`,
    body: { enabled: false },
  }),
  "DELETE /webhooks/:id": async (team) => ({ path: `/webhooks/${await madeWebhook(team)}` }),
  "POST /webhooks/:id/test": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}/test`,
  }),
  "GET /webhooks/:id/deliveries": async (team) => ({
    path: `${(await madeDelivery(team)).webhook}/deliveries`,
  }),
  "GET /deliveries/:id": async (team) => ({ path: (await madeDelivery(team)).delivery }),
  "POST /deliveries/:id/replay": async (team) => ({
    path: `${(await madeDelivery(team)).delivery}/replay`,
  }),
  "POST /webhooks/:id/backfill": async (team) => ({
    path: `/webhooks/${await madeWebhook(team)}/backfill`,
    body: { after: 0 },
  }),
  "GET /event-position": () => ({ path: "/event-position?at=2026-01-01T00%3A00%3A00Z" }),
  "GET /stats/series": () => ({ path: "/stats/series?step=day" }),
  "GET /events": async (team) => {
    await madeWebhook(team)
    const { body } = await team.api.post("/emails", message(team))
    await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    return { path: "/events?after=0" }
  },
  "GET /sandbox/messages": () => ({ path: "/sandbox/messages" }),
  "PATCH /domains/:id": ({ domainId }) => ({
    path: `/domains/${domainId}`,
    body: { receiving: "forward" },
  }),
  "POST /inboxes": async (team) => {
    await makeInbox(team)
    return { path: "/inboxes", body: { address: `help@${team.domain}` } }
  },
  "GET /inboxes": async (team) => {
    await makeInbox(team)
    return { path: "/inboxes" }
  },
  "GET /inboxes/:id": async (team) => ({ path: `/inboxes/${(await makeInbox(team)).id}` }),
  "PATCH /inboxes/:id": async (team) => ({
    path: `/inboxes/${(await makeInbox(team)).id}`,
    body: { name: "Help" },
  }),
  "DELETE /inboxes/:id": async (team) => ({ path: `/inboxes/${(await makeInbox(team)).id}` }),
  "POST /received-emails": async (team) => {
    const { address } = await makeInbox(team)
    const query = new URLSearchParams({ to: address, from: "ada@example.com" })
    return { path: `/received-emails?${query}`, body: messageTo(address) }
  },
  "GET /received-emails": async (team) => {
    await received(team)
    return { path: "/received-emails" }
  },
  "GET /received-emails/:id": async (team) => ({
    path: `/received-emails/${(await received(team)).id}`,
  }),
  "GET /received-emails/:id/raw": async (team) => ({
    path: `/received-emails/${(await received(team)).id}/raw`,
  }),
  "GET /received-emails/:id/attachments/:attachmentId": async (team) => ({
    path: `/received-emails/${(await received(team)).id}/attachments/0`,
  }),
  "PATCH /received-emails/:id": async (team) => ({
    path: `/received-emails/${(await received(team)).id}`,
    body: { read: true },
  }),
  "DELETE /received-emails/:id": async (team) => ({
    path: `/received-emails/${(await received(team)).id}`,
  }),
  "GET /threads": async (team) => {
    await received(team)
    return { path: "/threads" }
  },
  "GET /threads/:id": async (team) => ({ path: await threadPath(team) }),
  "GET /threads/:id/messages": async (team) => ({ path: `${await threadPath(team)}/messages` }),
  "PATCH /threads/:id": async (team) => ({
    path: await threadPath(team),
    body: { state: "done" },
  }),
  "POST /threads/:id/replies": async (team) => {
    const { id, threadId } = await received(team)
    const body = { receivedId: id, text: "It is on its way." }
    return { path: `/threads/${threadId}/replies`, body }
  },
}

export const message = ({ domain }: Team) => ({
  from: `Sender <sender@${domain}>`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
})

const rawMessage = ({ domain }: Team) => `From: sender@${domain}\r\nSubject: Hello\r\n\r\nHi\r\n`

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function segmentOf({ api }: Team) {
  const { body: book } = await api.post("/contact-books", { name: "Readers" })
  await api.post(`/contact-books/${book.id}/contacts`, { email: "ada@example.com" })
  const filter = { all: [{ field: "email", op: "contains", value: "ada" }] }
  const { body } = await api.post("/segments", { bookId: book.id, name: "Readers", filter })
  return body
}

/** A message with a file, worked off. */
async function received(team: Team) {
  const { address } = await makeInbox(team)
  const parts = [
    "--b",
    "",
    "Where is it?",
    "--b",
    "Content-Type: text/csv; name=a.csv",
    "",
    "a,b",
    "--b--",
  ]
  const type = ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"]
  return receive(team, address, messageTo(address, type, parts.join("\r\n")))
}

const threadPath = async (team: Team) => `/threads/${(await received(team)).threadId}`

async function formOf({ api, domain }: Team) {
  const defaultFrom = `news@${domain}`
  const { body: book } = await api.post("/contact-books", { name: "Readers", defaultFrom })
  const input = { bookId: book.id, name: "News", wording: "Send me news." }
  return (await api.post("/forms", input)).body
}

async function topicPath({ api }: Team): Promise<string> {
  const { body } = await api.post("/topics", { name: "Product news" })
  return `/topics/${body.id}`
}

const webhook = { url: "https://receiver.example.com/hook", events: ["domain.failed"] }

async function madeWebhook({ api }: Team): Promise<string> {
  const { body } = await api.post("/webhooks", webhook)
  return body.id
}

async function scheduled(team: Team): Promise<string> {
  const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: inAnHour() })
  return body.id
}

const template = {
  slug: "welcome",
  name: "Welcome",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
}

async function templatePath({ api }: Team): Promise<string> {
  const { body } = await api.post("/templates", template)
  return `/templates/${body.id}`
}

async function bookPath({ api }: Team): Promise<string> {
  const { body } = await api.post("/contact-books", { name: "Readers" })
  return `/contact-books/${body.id}`
}

async function contactPath(team: Team): Promise<string> {
  const path = `${await bookPath(team)}/contacts`
  const { body } = await team.api.post(path, { email: "ada@example.com" })
  return `${path}/${body.id}`
}

/** An active sequence, and a contact of its book. */
async function madeSequence(team: Team, { active = true, on = "subscribed" } = {}) {
  const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
  const path = `/contact-books/${book.id}/contacts`
  const { body: contact } = await team.api.post(path, { email: "ada@example.com" })
  const input = {
    ...sequenceInput(team, book.id),
    trigger: { on },
    steps: [on === "call" ? wait("hello") : send("hello")],
  }
  const { body } = await team.api.post("/sequences", input)
  if (active) await team.api.post(`/sequences/${body.id}/activate`, {})
  return { path: `/sequences/${body.id}`, contactId: contact.id }
}

const sequencePath = async (team: Team) => (await madeSequence(team)).path

async function runPath(team: Team): Promise<string> {
  const { path, contactId } = await madeSequence(team, { on: "call" })
  await team.api.post(`${path}/contacts`, { contactIds: [contactId] })
  const { body } = await team.api.get(`${path}/runs`)
  return `/runs/${body.data[0].id}`
}

const campaignPath = async (team: Team) => `/campaigns/${await makeCampaign(team)}`

async function scheduledCampaignPath(team: Team): Promise<string> {
  const path = await campaignPath(team)
  await team.api.post(`${path}/schedule`, { scheduledAt: inAnHour() })
  return path
}

/** A delivery of an email's event. */
export async function madeDelivery(team: Team) {
  const url = "https://receiver.example.com/hook"
  const { body } = await team.api.post("/webhooks", { url, events: ["email.delivered"] })
  const webhook = `/webhooks/${body.id}`
  const email = { teamId: team.id, emailId: await acceptForLater(team) }
  await recordEvents(testWork().work, [reportOf(email, "delivered", Date.now())])
  const { body: page } = await team.api.get(`${webhook}/deliveries`)
  return { webhook, delivery: `/deliveries/${page.data[0].id}` }
}
