import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { page, refuse, type startApi } from "./fake-api.ts"

/** What the examples of the help find on the disk. */
const files: Record<string, string> = {
  "key.txt": "svc_live_from-a-file\n",
  "letter.html": "<p>Hi there</p>",
  "bill.pdf": "%PDF-1.7",
  "message.eml": "From: hello@demo.test\r\nSubject: Hi\r\n\r\nHi\r\n",
  "templates/welcome/template.json": '{"name":"Welcome","subject":"Hello {{ name }}"}',
  "templates/welcome/body.html": "<p>Hello {{ name }}</p>",
  "filter.json": '{"all":[{"activity":"opened"}]}',
  "mail.json": '{"from":"hello@demo.test","to":"ada@example.com","subject":"Hi","text":"Hi"}',
}

export function writeFiles(folder: string): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

export const EMAIL = {
  id: "em_1",
  from: "hello@demo.test",
  to: ["ada@example.com"],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: "Hi",
  status: "delivered",
  tags: {},
  domainId: "dom_1",
  campaignId: null,
  templateId: null,
  scheduledAt: null,
  sentAt: "2026-11-20T09:30:00.000Z",
  createdAt: "2026-11-20T09:30:00.000Z",
  lastError: null,
}

export const event = (type: string, index: number, more: object = {}) => ({
  id: `evt_${index}`,
  type,
  occurredAt: new Date().toISOString(),
  ...more,
})

/** An event of the team, as the API lists it. */
export const teamEvent = (type: string, sequence: number, data: object) => ({
  id: `evt_${sequence}`,
  type,
  sequence,
  createdAt: "2026-11-20T09:30:00.000Z",
  data,
})

export const EXPLANATION = {
  summary: "The address does not exist.",
  cause: {
    code: "unknown_user",
    enhancedStatus: "5.1.1",
    diagnostic: "550 5.1.1 no such user",
    meaning: "Nobody has this address.",
  },
  next: ["Correct the address."],
  attempts: [{ at: "2026-11-20T09:30:00.000Z", outcome: "accepted", answer: null }],
  waitingFor: null,
}

export const DOMAIN = {
  id: "dom_1",
  name: "mail.example.com",
  status: "pending",
  provider: "ses",
  region: "us-east-1",
  dnsMode: "manual",
  records: [
    { kind: "MAIL_FROM_MX", type: "MX", name: "bounce.x", value: "mx.y", priority: 10, ok: false },
  ],
  lastError: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  verifiedAt: null,
}

export const TEMPLATE = {
  id: "tpl_1",
  slug: "welcome",
  name: "Welcome",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>\n<p>Bye</p>\n",
  bodyText: null,
  variablesSchema: { variables: [{ name: "name", type: "string", default: "there" }] },
  version: 3,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
}

export const SUPPRESSION = {
  id: "sup_1",
  email: "ada@example.com",
  reason: "manual",
  note: null,
  sourceEmailId: null,
  createdAt: "2026-11-20T09:30:00.000Z",
}

export const MESSAGE = {
  emailId: "em_1",
  envelope: { from: "hello@demo.test", to: ["ada@example.com"] },
  headers: {},
  subject: "Hi",
  html: null,
  text: "Your code is 123.",
  links: ["https://example.com/confirm"],
  attachments: [],
  raw: "",
  createdAt: "2026-11-20T09:30:00.000Z",
}

export const CHECK = {
  wouldSend: true,
  refusal: null,
  sender: { domain: "demo.test", status: "verified", dmarc: null },
  recipients: [{ address: "ada@example.com", suppressed: null }],
  message: { subject: "Hi", bytes: 812, hasText: true, attachments: 0 },
  warnings: [{ code: "no_dmarc", message: "No DMARC record.", mend: "Publish one." }],
}

const CONTACT = { id: "con_1", email: "ada@example.com", subscribed: true }
const CAMPAIGN = { id: "cmp_1", name: "News", status: "sent", counts: { delivered: 2 } }

const SEGMENT = { id: "seg_1", bookId: "cb_1", name: "Londoners", contactCount: 2 }

const SEQUENCE = { id: "sqn_1", name: "Welcome", status: "active", counts: { entered: 2 } }
const RUN = { id: "run_1", sequenceId: "sqn_1", contactId: "con_1", state: "waiting" }
export const SIMULATION = {
  timeline: [
    {
      ...{ at: "2026-12-01T09:00:00.000Z", stepKey: "hello", kind: "send" },
      ...{ subject: "Hello", says: "Sends 'Hello'." },
    },
  ],
  endedBy: "finished",
}
export const RECEIVED = {
  ...{ id: "rcv_1", kind: "message", from: { email: "ada@example.com", name: null } },
  ...{ subject: "Where is it?", text: "Where?", parsed: true },
  createdAt: "2026-11-20T09:30:00.000Z",
}

const DELIVERY = { id: "whd_1", state: "failed", eventType: "email.sent", attemptCount: 6 }

const COUNTS = {
  ...{ sent: 40, delivered: 37, complained: 0, failed: 0, opened: 16, clicked: 4, delayed: 1 },
  bounced: { hard: 2, soft: 1 },
}
const STATS = {
  sent: { today: 40, d7: 260, d30: 1000 },
  rates: { delivered: 0.97, bounced: 0.02, complained: 0, opened: 0.4, clicked: 0.1 },
  series: [],
  alerts: [{ kind: "bounce", level: "critical", rate: 0.05, window: "24h" }],
}

/** A reply of Edgepost's own, without a key. */
const unknownLink: Handler = (_asked, response) =>
  refuse(response, 404, "not_found", "No such link.")

type Handler = NonNullable<Parameters<typeof startApi>[0]>[string]

/** What they find in the API. */
export const routes: Parameters<typeof startApi>[0] = {
  "POST /emails": () => ({ id: "em_1" }),
  "POST /emails/raw": () => ({ id: "em_1" }),
  "POST /emails/check": () => CHECK,
  "GET /domains": () => page({ ...DOMAIN, status: "verified" }),
  "POST /domains": () => DOMAIN,
  "POST /domains/:id/verify": () => ({ ...DOMAIN, status: "verified" }),
  "GET /contact-books": () => page(),
  "POST /contact-books": () => ({ id: "cb_1" }),
  "DELETE /contact-books/:id": () => undefined,
  "GET /health": () => ({ status: "ok" }),
  "GET /t/o/doctor": unknownLink,
  "GET /unsubscribe/doctor": unknownLink,
  "GET /preferences/doctor": unknownLink,
  "GET /dns-query": ({ query }) => dnsAnswer(String(query.type), "10 mx.y."),
  "GET /templates": () => page(TEMPLATE),
  "PATCH /contact-books/:id/contacts/:contact": () => CONTACT,
  "PATCH /templates/:slug": () => ({ ...TEMPLATE, version: 4 }),
  "GET /suppressions": () => page(SUPPRESSION),
  "POST /suppressions": () => SUPPRESSION,
  "DELETE /suppressions/:email": () => undefined,
  "GET /stats": () => STATS,
  "GET /stats/series": () => ({
    data: [{ at: "2026-11-20T00:00:00.000Z", ...COUNTS }],
    totals: COUNTS,
  }),
  "GET /domains/:id": () => DOMAIN,
  "DELETE /domains/:id": () => undefined,
  "GET /contact-books/:id/contacts": () => page(CONTACT),
  "GET /contact-books/:id/contacts/:contact": () => CONTACT,
  "POST /contact-books/:id/contacts": () => CONTACT,
  "POST /contacts/unsubscribe": () => ({ unsubscribed: 1 }),
  "GET /segments": () => page(SEGMENT),
  "POST /segments": () => SEGMENT,
  "GET /segments/:id": () => SEGMENT,
  "PATCH /segments/:id": () => SEGMENT,
  "DELETE /segments/:id": () => undefined,
  "GET /segments/:id/contacts": () => page(CONTACT),
  "GET /sequences": () => page(SEQUENCE),
  "GET /sequences/:id": () => SEQUENCE,
  "GET /sequences/:id/steps": () => ({ hello: { entered: 2, waiting: 1 } }),
  "GET /sequences/:id/runs": () => page(RUN),
  "POST /sequences/:id/activate": () => SEQUENCE,
  "POST /sequences/:id/pause": () => SEQUENCE,
  "POST /sequences/:id/resume": () => SEQUENCE,
  "POST /sequences/:id/archive": () => SEQUENCE,
  "POST /sequences/:id/contacts": () => ({ started: 1, skipped: 1 }),
  "POST /sequences/:id/simulate": () => SIMULATION,
  "GET /runs/:id": () => RUN,
  "POST /runs/:id/end": () => RUN,
  "POST /runs/:id/skip": () => RUN,
  "POST /events": () => ({ id: "evt_1" }),
  "GET /received-emails": () => page(RECEIVED),
  "GET /received-emails/:id": () => RECEIVED,
  "POST /threads/:id/replies": () => ({ id: "em_1" }),
  "GET /campaigns": () => page(CAMPAIGN),
  "GET /campaigns/:id": () => CAMPAIGN,
  "GET /campaigns/:id/links": () =>
    page({ url: "https://example.com/news", clicks: 5, recipients: 4 }),
  "POST /campaigns/:id/cancel": () => CAMPAIGN,
  "POST /campaigns/:id/pause": () => CAMPAIGN,
  "POST /campaigns/:id/resume": () => CAMPAIGN,
  "GET /api-keys": () => page({ id: "key_1", name: "CI", permission: "full" }),
  "POST /api-keys": () => ({ id: "key_2", secret: "svc_live_new" }),
  "DELETE /api-keys/:id": () => undefined,
  "GET /webhooks": () => page({ id: "wh_1", url: "https://example.com/hook", enabled: true }),
  "POST /webhooks": () => ({ id: "wh_2", secret: "whsec_new" }),
  "POST /webhooks/:id/test": () => ({ deliveryId: "whd_1" }),
  "GET /webhooks/:id/deliveries": () => page(DELIVERY),
  "GET /deliveries/:id": () => ({ ...DELIVERY, attempts: [{ number: 1, statusCode: 500 }] }),
  "POST /deliveries/:id/replay": () => ({ deliveryId: "whd_2" }),
  "GET /event-position": () => ({ after: 6 }),
  "GET /events": () => ({ data: [teamEvent("email.bounced", 7, { email: EMAIL })], nextAfter: 7 }),
  "GET /sandbox/messages": () => page(MESSAGE),
  "GET /emails": ({ query }) =>
    query.status && query.status !== EMAIL.status ? page() : page(EMAIL),
  "GET /emails/:id": () => ({
    ...EMAIL,
    events: [event("sent", 1), event("delivered", 2), event("bounced", 3)],
  }),
  "GET /emails/:id/explain": () => EXPLANATION,
  "POST /emails/:id/cancel": () => ({ ...EMAIL, status: "cancelled" }),
}

const theirPage = (...data: object[]) => ({ object: "list", has_more: false, data })

/** Resend's API, as the import reads it. */
export const theirRoutes: Parameters<typeof startApi>[0] = {
  "GET /domains": () => theirPage({ id: "d1", name: "new.example.com" }),
  "GET /templates": () => theirPage(),
  "GET /contacts": () => theirPage(),
  "GET /segments": () => theirPage(),
  "GET /suppressions": () => theirPage(),
  "GET /api/lists": () => ({ data: { results: [] } }),
  "GET /api/subscribers": () => ({ data: { results: [] } }),
  "GET /api/templates": () => ({ data: [] }),
}
const TYPES: Record<string, number> = { CNAME: 5, MX: 15, TXT: 16 }

/** An answer of DNS over HTTPS; null where the name has no such record. */
export const dnsAnswer = (type: string, data: string | null) => ({
  Status: data === null ? 3 : 0,
  Answer: data === null ? [] : [{ type: TYPES[type], data }],
})
