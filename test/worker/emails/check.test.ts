import { env } from "cloudflare:workers"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { createApi } from "../../support/api.ts"
import { DNS_HOST, makeFakeDns } from "../../support/fake-dns.ts"
import { metered } from "../../support/meter.ts"
import { fakeOutside } from "../../support/outside.ts"
import { addDomain, addKey, makeTeam, type Team } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"

const dns = makeFakeDns()
let outside: ReturnType<typeof fakeOutside>
beforeAll(() => {
  outside = fakeOutside({ [DNS_HOST]: dns.handler })
})
beforeEach(() => dns.zone.clear())
afterAll(() => outside.mockRestore())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

const message = ({ domain }: Pick<Team, "domain">, change: object = {}) => ({
  from: `Sender <sender@${domain}>`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
  scheduledAt: inAnHour(),
  ...change,
})

const check = async (team: Team, change: object = {}) => {
  const { status, body } = await team.api.post("/emails/check", message(team, change))
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const codesOf = (body: { warnings: { code: string }[] }) => body.warnings.map(({ code }) => code)

const count = async (table: string, { id }: Team) =>
  (await env.DB.prepare(`select count(*) as n from ${table} where team_id = ?`)
    .bind(id)
    .first("n"))!

/** A generator of numbers that are the same on every run. */
function makeRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

function goodInput(team: Team, index: number): object {
  const random = makeRandom(index + 1)
  const maybe = (part: object) => (random(2) === 0 ? {} : part)
  const address = () => `${["", "Ada ", '"B, C" '][random(3)]}<p${random(50)}@example.com>`
  const list = () => Array.from({ length: 1 + random(4) }, address)
  const words = ["Hi", "<b>Hi</b>", "é 👋", "{{ name }}", '<a href="https://a.test">a.test</a>']
  const word = () => words[random(words.length)]!
  const content = [
    { text: word(), html: undefined },
    { text: undefined, html: word() },
    { text: word(), html: `<p>${word()}</p>` },
    { text: "", html: "<img src=x>" },
    { text: undefined, template: "hello", variables: { name: word() } },
  ][random(5)]
  return message(team, {
    to: random(2) === 0 ? address() : list(),
    subject: `${word()} ${"s".repeat(random(300))}`,
    ...content,
    ...maybe({ cc: list() }),
    ...maybe({ bcc: address() }),
    ...maybe({ replyTo: list() }),
    ...maybe({ headers: { "X-A": "b", "List-Unsubscribe": "<https://a.test>" } }),
    ...maybe({ tags: { kind: "k" } }),
    ...maybe({ attachments: [{ filename: "a.txt", content: "aGk=" }] }),
    ...maybe({ trackOpens: true, trackClicks: random(2) === 0 }),
    ...maybe({ overrideSuppression: true }),
    ...maybe({ idempotencyKey: `key-${index}` }),
  })
}

describe("a check", () => {
  it("allows two hundred good inputs, stores none, and each is then sent", async () => {
    const team = await makeTeam()
    await team.api.post("/templates", {
      slug: "hello",
      name: "Hello",
      subject: "Hello",
      bodyHtml: "<p>{{ name }}</p>",
    })
    const inputs = Array.from({ length: 200 }, (_, index) => goodInput(team, index))
    // vitest cannot load a module for two requests at once.
    await team.api.post("/emails/check", inputs[0])
    for (let from = 0; from < inputs.length; from += 20) {
      const part = inputs.slice(from, from + 20)
      for (const { body } of await Promise.all(
        part.map((input) => team.api.post("/emails/check", input)),
      )) {
        expect([body.wouldSend, body.refusal]).toEqual([true, null])
      }
    }
    expect(await count("emails", team)).toBe(0)
    for (let from = 0; from < inputs.length; from += 20) {
      const sent = await Promise.all(
        inputs.slice(from, from + 20).map((input) => team.api.post("/emails", input)),
      )
      expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 201))
    }
  }, 120_000)

  const REFUSED: [name: string, make: (team: Team) => object | Promise<object>][] = [
    ["an unverified domain", () => ({ from: "a@elsewhere.test" })],
    ["an unknown template", () => ({ text: undefined, template: "nope" })],
    [
      "a template without its variables",
      async ({ api }) => {
        const bodyHtml = "<p>{{ name }}</p>"
        await api.post("/templates", { slug: "hi", name: "Hi", subject: "Hi", bodyHtml })
        return { text: undefined, template: "hi" }
      },
    ],
    [
      "a suppressed recipient",
      async ({ api }) => {
        await api.post("/suppressions", { email: "a@example.com", reason: "unsubscribe" })
        return { to: "b@example.com", bcc: "A@example.com" }
      },
    ],
    [
      "an idempotency key of another input",
      async (team) => {
        await team.api.post("/emails", message(team, { idempotencyKey: "k" }))
        return { idempotencyKey: "k", subject: "Other" }
      },
    ],
    [
      "a suppressed recipient behind an unverified domain",
      async ({ api }) => {
        await api.post("/suppressions", { email: "a@example.com" })
        return { from: "a@elsewhere.test", to: "a@example.com" }
      },
    ],
  ]

  it.each(REFUSED)("refuses as a send does: %s", async (_name, make) => {
    const team = await makeTeam()
    const input = message(team, await make(team))
    const before = await count("emails", team)
    const checked = await team.api.post("/emails/check", input)
    const sent = await team.api.post("/emails", input)
    const { code, message: words, details = null } = sent.body.error
    expect([checked.status, checked.body.wouldSend]).toEqual([200, false])
    expect(checked.body.refusal).toEqual({ code, message: words, details })
    expect(await count("emails", team)).toBe(before)
  })

  it("refuses as a send does: a key that is restricted to another domain", async () => {
    const team = await makeTeam()
    const other = await addDomain(team.id, `other-${team.domain}`)
    const api = createApi(await addKey(team.id, "sending_only", other))
    const { body } = await api.post("/emails/check", message(team))
    const sent = await api.post("/emails", message(team))
    expect([sent.status, body.refusal]).toEqual([403, { ...sent.body.error, details: null }])
  })

  it("of an input that was sent says that a send only replays", async () => {
    const team = await makeTeam()
    const input = message(team, { idempotencyKey: "k" })
    const { body: sent } = await team.api.post("/emails", input)
    for (const [body, headers] of [
      [input, {}],
      [{ ...input, idempotencyKey: undefined }, { "idempotency-key": "k" }],
    ] as const) {
      const checked = await team.api.post("/emails/check", body, headers)
      expect([checked.body.wouldSend, checked.body.refusal]).toEqual([false, null])
      expect(codesOf(checked.body)).toContain("already_sent")
      expect(checked.body.warnings[0].message).toContain(sent.id)
    }
    const differing = await team.api.post("/emails/check", input, { "idempotency-key": "other" })
    expect(differing.status).toBe(400)
  })

  it("lets an overriding input through and warns, but not past a complaint", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "a@example.com" })
    const to = ["a@example.com", "b@example.com"]
    const body = await check(team, { to, overrideSuppression: true })
    expect([body.wouldSend, codesOf(body)[0]]).toEqual([true, "suppression_overridden"])
    expect(body.recipients).toEqual([
      {
        address: "a@example.com",
        suppressed: { reason: "manual", since: expect.any(String), sourceEmailId: null },
      },
      { address: "b@example.com", suppressed: null },
    ])
    await env.DB.prepare("update suppressions set reason = 'complaint' where team_id = ?")
      .bind(team.id)
      .run()
    const refused = await check(team, { to, overrideSuppression: true })
    expect([refused.wouldSend, refused.refusal.code]).toEqual([false, "suppressed_recipient"])
  })

  it("is one round trip, two with a template, and writes nothing", async () => {
    const team = await makeTeam()
    const bodyHtml = "<p>Hello</p>"
    await team.api.post("/templates", { slug: "hi", name: "Hi", subject: "Hi", bodyHtml })
    await warmed(team.api)
    const plain = await metered(() => check(team))
    expect(plain).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(plain.rowsRead).toBeLessThanOrEqual(35)
    const templated = await metered(() => check(team, { text: undefined, template: "hi" }))
    expect(templated).toMatchObject({ roundTrips: 2, rowsWritten: 0 })
  })
})

describe("a sending-only key", () => {
  it("learns of a suppression what a refused send tells it", async () => {
    const team = await makeTeam()
    await env.DB.prepare(
      `insert into suppressions (team_id, email, id, reason, source_email_id, created_at)
       values (?, 'a@example.com', 'sup_1', 'bounce', 'em_1', 1)`,
    )
      .bind(team.id)
      .run()
    const input = message(team, { to: "a@example.com" })
    const sending = await team.sendingOnly.post("/emails/check", input)
    expect(sending.body.recipients[0].suppressed).toEqual({
      reason: "bounce",
      since: null,
      sourceEmailId: null,
    })
    const full = await team.api.post("/emails/check", input)
    expect(full.body.recipients[0].suppressed).toEqual({
      reason: "bounce",
      since: "1970-01-01T00:00:00.001Z",
      sourceEmailId: "em_1",
    })
  })

  it("learns nothing of domains that are not verified, nor of contacts", async () => {
    const team = await makeTeam()
    await addDomain(team.id, `pending-${team.domain}`, "pending")
    const from = `a@mail.pending-${team.domain}`
    const sending = await team.sendingOnly.post("/emails/check", message(team, { from }))
    expect(sending.body.sender).toMatchObject({ domain: from.slice(2), status: null })
    const { sender } = await check(team, { from })
    expect(sender).toMatchObject({ domain: `pending-${team.domain}`, status: "pending" })

    const to = await addContacts(team)
    const asked = await team.sendingOnly.post("/emails/check", message(team, { to }))
    expect(codesOf(asked.body)).not.toContain("no_list_unsubscribe")
    expect(codesOf(await check(team, { to }))).toContain("no_list_unsubscribe")
  })
})

async function addContacts({ api }: Team): Promise<string[]> {
  const to = ["a@example.com", "b@example.com"]
  const { body } = await api.post("/contact-books", { name: "Readers" })
  for (const email of to) await api.post(`/contact-books/${body.id}/contacts`, { email })
  return to
}

describe("the sender", () => {
  it.each([
    ["v=DMARC1; p=reject", "v=DMARC1; p=none; sp=quarantine", "reject"],
    [null, "v=DMARC1; p=none; sp=quarantine", "quarantine"],
    [null, '"v=DMARC1;" " p = Quarantine"', "quarantine"],
    [null, "v=spf1 -all", "missing"],
    [null, null, "missing"],
  ])("has the policy of %j, or else of its parent's %j: %s", async (own, parents, policy) => {
    const team = await makeTeam()
    if (own) dns.zone.set(`TXT _dmarc.mail.${team.domain}`, own)
    if (parents) dns.zone.set(`TXT _dmarc.${team.domain}`, parents)
    const body = await check(team, { from: `a@mail.${team.domain}` })
    expect(body.sender).toEqual({ domain: team.domain, status: "verified", dmarc: policy })
    expect(codesOf(body).includes("no_dmarc")).toBe(policy === "missing")
  })

  it("has none where DNS does not answer within a second", async () => {
    const team = await makeTeam()
    const silent = fakeOutside({ [DNS_HOST]: () => new Promise(() => {}) })
    const limits = vi.spyOn(globalThis, "setTimeout")
    try {
      const body = await check(team)
      expect(limits.mock.calls.map(([, ms]) => ms)).toContain(1_000)
      expect(body.sender.dmarc).toBe(null)
      expect(codesOf(body)).not.toContain("no_dmarc")
    } finally {
      limits.mockRestore()
      silent.mockRestore()
      outside = fakeOutside({ [DNS_HOST]: dns.handler })
    }
  })

  it("asks DNS for at most eight names, and for none without a key", async () => {
    const team = await makeTeam()
    outside.mockClear()
    await check(team, { from: `a@${"x.".repeat(100)}${team.domain}` })
    expect(outside.mock.calls.length).toBe(7)
    outside.mockClear()
    await createApi(`svc_live_${"a".repeat(43)}`).post("/emails/check", message(team))
    expect(outside.mock.calls.length).toBe(0)
  })

  it("shows a failed domain", async () => {
    const team = await makeTeam()
    await addDomain(team.id, `failed-${team.domain}`, "failed")
    const { sender } = await check(team, { from: `a@failed-${team.domain}` })
    expect(sender.status).toBe("failed")
  })
})

describe("a warning", () => {
  const WARNED: [code: string, change: object][] = [
    ["no_text_part", { text: "", html: "<p>Hi</p>" }],
    ["no_text_part", { text: undefined, html: '<img src="a.png" alt="">' }],
    ["html_too_long", { html: `<p>${"x".repeat(102 * 1024)}</p>` }],
    ["misleading_link", { html: '<a href="https://evil.test/">https://bank.test/in</a>' }],
    ["misleading_link", { html: '<a href="http://evil.test"><b>www.bank</b>.test</a>' }],
    ["image_without_alt", { html: '<img src="a.png">' }],
    ["placeholder_left", { subject: "Hello {{ firstName }}" }],
    ["placeholder_left", { html: "<p>Hello *|FNAME|*</p>" }],
    ["placeholder_left", { text: `Hello \${name}` }],
    ["long_subject", { subject: "s".repeat(200) }],
  ]

  it.each(WARNED)("of %s comes with %j", async (code, change) => {
    const team = await makeTeam()
    const body = await check(team, change)
    expect(codesOf(body)).toEqual(["no_dmarc", code])
    expect(body.wouldSend).toBe(true)
    for (const { message, mend } of body.warnings) expect(`${message} ${mend}`).not.toMatch(/undef/)
  })

  it("does not come with a message that is fine", async () => {
    const team = await makeTeam()
    dns.zone.set(`TXT _dmarc.${team.domain}`, "v=DMARC1; p=none")
    const to = await addContacts(team)
    const html = `<p style="color:red">Hello { you }, Node.js costs $5 and 100%.</p>
      <img src="a.png" alt=""><a href="https://www.shop.test/a">shop.test</a>
      <a href="https://go.shop.test">shop.test</a><a href="mailto:a@b.test">b.test</a>
      <a href="https://nodejs.org">Node.js</a><a href="https://a.test">Read more.</a>`
    const body = await check(team, {
      to,
      html,
      text: undefined,
      headers: { "list-unsubscribe": "<https://a.test>" },
      attachments: [{ filename: "a.txt", content: "aGk=" }],
    })
    expect(body.warnings).toEqual([])
    expect(body.message).toMatchObject({ subject: "Hello", hasText: true, attachments: 1 })
    expect(body.message.bytes).toBeGreaterThan(html.length)
  })

  it("looks through the largest html", async () => {
    const team = await makeTeam()
    const html = '<a href="https://evil.test">bank.test</a>'.repeat(120_000)
    const input = message(team, { html, text: undefined })
    const { body } = await team.api.post("/emails/check", input)
    expect(codesOf(body)).toEqual(["no_dmarc", "html_too_long", "misleading_link"])
    expect(body.message).toMatchObject({ bytes: html.length, hasText: true })
  })

  it("names each misleading link once, and at most five", async () => {
    const team = await makeTeam()
    const link = (host: string) => `<a href="https://evil.test">${host}</a>`
    const body = await check(team, {
      html: Array.from({ length: 50 }, (_, index) => link(`bank${index % 9}.test`)).join(" "),
    })
    expect(codesOf(body).filter((code) => code === "misleading_link").length).toBe(5)
  })
})
