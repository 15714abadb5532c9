// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
export type Call = (method: string, path: string, body?: unknown) => Promise<any>

/** What the pages show: real data, and values that are absurdly long or full of markup. */
export async function fillTeam(api: Call, verified = "demo.test"): Promise<Record<string, string>> {
  const long = "An-absurdly-long-word-".repeat(12)
  const markup = '<img src=x onerror="alert(1)">'
  const from = `Hello <hello@${verified}>`
  // Several tests fill the same team: a domain is taken once, an address may be suppressed by now.
  const label = Date.now()
  const simulator = (name: string) => `${name}+${label}@simulator.amazonses.com`
  const text = "Hi"
  const sent = await api("POST", "/emails/batch", [
    { from, to: simulator("success"), subject: "Your invoice", html: `<h1>Hi</h1>${markup}` },
    { from, to: simulator("bounce"), subject: markup, text, tags: { kind: "invoice" } },
    { from, to: simulator("complaint"), subject: long, text },
    { from, to: `${"a".repeat(60)}@${"b".repeat(60)}.example.com`, subject: "Long address", text },
    { from, to: simulator("delay"), subject: "Later", text, scheduledAt: inAnHour() },
  ])
  const domain = await api("POST", "/domains", { name: `${"c".repeat(40)}${label}.example.com` })
  const key = await api("POST", "/api-keys", { name: long.slice(0, 64) })
  const webhook = await api("POST", "/webhooks", {
    url: `http://localhost:9/${"path/".repeat(40)}`,
    events: ["email.delivered", "email.bounced"],
  })
  await api("POST", "/suppressions", { email: "blocked@example.com", note: markup })
  const template = await api("POST", "/templates", {
    slug: `welcome-${Date.now()}`,
    name: long.slice(0, 100),
    subject: "Hello {{ name }}",
    bodyHtml: "<p>Hello {{ name }}</p>",
    variablesSchema: { variables: [{ name: "name", type: "string", default: "you" }] },
  })
  const book = await api("POST", "/contact-books", { name: markup, defaultFrom: from })
  const form = await api("POST", "/forms", {
    bookId: book.id,
    name: long.slice(0, 200),
    wording: `${markup} ${long}`,
    fields: [{ name: "city", label: long, type: "select", options: [markup, long.slice(0, 100)] }],
  })
  await api("POST", `/contact-books/${book.id}/contacts`, {
    email: "ada@example.com",
    firstName: long.slice(0, 100),
    properties: { city: "London" },
  })
  const segment = await api("POST", "/segments", {
    bookId: book.id,
    name: long.slice(0, 200),
    filter: {
      any: [
        { field: `properties.${markup}`, op: "contains", value: long },
        {
          all: [
            { activity: "opened", withinDays: 30 },
            { field: "email", op: "set" },
          ],
        },
      ],
    },
  })
  const { data: domains } = await api("GET", "/domains")
  const { id: domainId } = domains.find(({ name }: { name: string }) => name === verified)
  const campaign = await api("POST", "/campaigns", {
    name: long.slice(0, 100),
    bookId: book.id,
    segmentId: segment.id,
    domainId,
    from: `News <news@${verified}>`,
    subject: "Hello {{ firstName }}",
    blocks: [
      { kind: "heading", level: 1, text: "News" },
      { kind: "text", html: "Hi <strong>{{ firstName }}</strong>" },
      { kind: "button", label: "Read", url: "https://example.com/" },
    ],
  })
  const thread = await addThread(api, {
    domainId,
    address: `inbox${label}@${verified}`,
    name: long.slice(0, 200),
    message: [
      `From: ${"A very long name ".repeat(5)}<ada@example.com>`,
      `Subject: ${long}`,
      "Content-Type: text/html",
      "",
      `<p>${long}</p><img src="https://example.com/pixel.png"><script>alert(1)</script>`,
    ],
  })
  const sequence = await api("POST", "/sequences", {
    name: long.slice(0, 200),
    ...{ bookId: book.id, domainId, from: `News <news@${verified}>` },
    trigger: { on: "call" },
    steps: [
      { key: "hello", kind: "send", subject: long, blocks: [{ kind: "text", html: "Hi" }] },
      {
        key: "paths",
        kind: "branch",
        cases: [{ filter: { all: [{ event: "order.paid" }] }, steps: [] }],
        else: [{ key: "pause", kind: "wait", for: "3d" }],
      },
    ],
  })
  await api("POST", `/sequences/${sequence.id}/activate`)
  return {
    thread,
    form: form.id,
    sequence: sequence.id,
    email: sent.data[1].id,
    domain: domain.id,
    key: key.id,
    webhook: webhook.id,
    template: template.id,
    book: book.id,
    segment: segment.id,
    campaign: campaign.id,
  }
}

interface Writing {
  domainId: string
  address: string
  /** Of the inbox. */
  name: string
  message: readonly string[]
}

/** A message to a new inbox. Returns the id of its thread. */
export async function addThread(api: Call, { domainId, address, name, message }: Writing) {
  await api("PATCH", `/domains/${domainId}`, { receiving: "forward" })
  const inbox = await api("POST", "/inboxes", { address, name })
  const lines = [`To: ${address}`, `Message-ID: <${address}>`, ...message]
  await api("POST", `/received-emails?to=${address}&from=ada@example.com`, lines.join("\r\n"))
  for (let tries = 0; tries < 60; tries++) {
    const { data } = await api("GET", `/threads?inboxId=${inbox.id}`)
    if (data.length > 0) return data[0].id as string
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error("The message was not read")
}

/** Every page of a person who is signed in. Pages of an object without an id are left out. */
export const pagesOf = (ids: Record<string, string>) =>
  everyPage(ids).filter((path) => !path.includes("undefined"))

const everyPage = (ids: Record<string, string>) => [
  "",
  "/start",
  "/emails",
  "/emails?q=nothing-has-this",
  `/emails/${ids.email}`,
  `/emails/${ids.bounced}`,
  `/recipients/${ids.recipient ?? "ada@example.com"}`,
  "/metrics",
  "/metrics?range=24h&tag=kind:invoice",
  `/metrics?campaign=${ids.sentCampaign}`,
  "/threads",
  "/threads?view=unread",
  `/threads/${ids.thread}`,
  "/inbox",
  `/inbox/${ids.message}`,
  "/suppressions",
  "/campaigns",
  "/campaigns/new",
  `/campaigns/${ids.campaign}`,
  `/campaigns/${ids.sentCampaign}`,
  `/campaigns/${ids.scheduledCampaign}`,
  "/sequences",
  "/sequences/new",
  `/sequences/${ids.sequence}`,
  "/contacts",
  `/contacts/${ids.book}`,
  `/contacts/${ids.book}/import`,
  "/forms",
  `/forms/${ids.form}`,
  "/segments",
  `/segments/${ids.segment}`,
  "/topics",
  "/templates",
  "/templates/new",
  `/templates/${ids.template}`,
  `/templates/${ids.templateOfBlocks}?of=blocks`,
  "/layouts",
  `/layouts/${ids.layout}`,
  "/domains",
  `/domains/${ids.domain}`,
  "/api-keys",
  "/refused-calls",
  "/webhooks",
  `/webhooks/${ids.webhook}`,
  `/deliveries/${ids.delivery}`,
  "/team",
  "/audit-log",
  "/settings",
  "/settings?tab=Brand",
  "/settings?tab=Usage",
  "/account",
]

/** Pages without a session. */
export const OPEN_PAGES = ["/sign-in", "/claim", "/reset-password", "/invitation"]

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
