import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { DAY_MS } from "../../../src/lib/time.ts"
import { prepare } from "../../../src/worker/emails/accept/prepare.ts"
import type { SendInput } from "../../../src/worker/emails/send-input.ts"
import { notFound } from "../../../src/worker/platform/http/errors.ts"
import { createApi, type Reply } from "../../support/api.ts"
import { eventually } from "../../support/eventually.ts"
import { addDomain, addKey, makeTeam, removeDomain, type Team } from "../../support/team.ts"

const message = ({ domain }: Pick<Team, "domain">, change: object = {}) => ({
  from: `Sender <sender@${domain}>`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
  ...change,
})

const refusal = ({ status, body }: Reply) => [status, body.error?.code]

/** Accepted before the other tests run, as it takes ten seconds to become due. */
let near: { team: Team; id: string; scheduledAt: string }
beforeAll(async () => {
  const team = await makeTeam()
  const scheduledAt = new Date(Date.now() + 10_000).toISOString()
  const { body } = await team.api.post("/emails", message(team, { scheduledAt }))
  near = { team, id: body.id, scheduledAt }
})

describe("the sending domain", () => {
  it("is the verified domain with the longest name that equals or contains it", async () => {
    const { api, id, domain } = await makeTeam()
    const sub = await addDomain(id, `news.${domain}`)
    const { body } = await api.post("/emails", message({ domain: `eu.news.${domain}` }))
    expect((await api.get(`/emails/${body.id}`)).body.domainId).toBe(sub)
  })

  it.each(["pending", "failed"])("is not used while it is %s", async (status) => {
    const { api, id, domain } = await makeTeam()
    await addDomain(id, `${status}-${domain}`, status)
    const reply = await api.post("/emails", message({ domain: `${status}-${domain}` }))
    expect(refusal(reply)).toEqual([422, "domain_not_verified"])
  })

  it("of another team is not used", async () => {
    const [{ api }, other] = [await makeTeam(), await makeTeam()]
    expect(refusal(await api.post("/emails", message(other)))).toEqual([422, "domain_not_verified"])
  })

  it("that is not verified is named in the refusal, beside those that are", async () => {
    const { api, id, domain } = await makeTeam()
    await addDomain(id, `pending-${domain}`, "pending")
    await addDomain(id, `also-${domain}`)
    const { body } = await api.post("/emails", message({ domain: "elsewhere.test" }))
    expect(body.error.message).toBe(
      `No verified domain of the team matches 'from': elsewhere.test. Verified: also-${domain}, ${domain}.`,
    )
  })

  it("that only shares a suffix is not used", async () => {
    const { api, domain } = await makeTeam()
    const reply = await api.post("/emails", message({ domain: `not${domain}` }))
    expect(refusal(reply)).toEqual([422, "domain_not_verified"])
  })
})

describe("a key restricted to a domain", () => {
  it("sends from that domain and from no other", async () => {
    const { id, domain, domainId } = await makeTeam()
    await addDomain(id, `other-${domain}`)
    const api = createApi(await addKey(id, "sending_only", domainId))
    expect((await api.post("/emails", message({ domain }))).status).toBe(201)
    const refused = await api.post("/emails", message({ domain: `other-${domain}` }))
    expect(refused.status).toBe(403)
    expect(refused.body.error).toEqual({
      code: "forbidden",
      message: "This API key is restricted to another domain.",
    })
  })

  it("is refused for another domain before a suppressed recipient is named", async () => {
    const { api: full, id, domain, domainId } = await makeTeam()
    await addDomain(id, `other-${domain}`)
    await full.post("/suppressions", { email: "someone@example.com" })
    const api = createApi(await addKey(id, "full", domainId))
    const refused = await api.post("/emails", message({ domain: `other-${domain}` }))
    expect(refusal(refused)).toEqual([403, "forbidden"])
  })

  it("sends nothing once the domain is deleted", async () => {
    const { id, domain, domainId } = await makeTeam()
    const api = createApi(await addKey(id, "full", domainId))
    await removeDomain(domainId)
    await addDomain(id, domain)
    expect(refusal(await api.post("/emails", message({ domain })))).toEqual([403, "forbidden"])
  })
})

describe("a suppressed address", () => {
  it.each(["to", "cc", "bcc"])("in %s refuses the message, and details name it", async (field) => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "Stop@Example.com" })
    const reply = await team.api.post(
      "/emails",
      message(team, { [field]: ["fine@example.com", "STOP@example.com"] }),
    )
    expect(refusal(reply)).toEqual([422, "suppressed_recipient"])
    expect(reply.body.error.details).toEqual([{ email: "stop@example.com", reason: "manual" }])
    expect((await team.api.get("/emails")).body.data).toEqual([])
  })

  it("is mailed when a full key overrides, but not for a sending-only one", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "someone@example.com", reason: "unsubscribe" })
    const body = message(team, { overrideSuppression: true })
    expect((await team.api.post("/emails", body)).status).toBe(201)
    expect(refusal(await team.sendingOnly.post("/emails", body))).toEqual([
      422,
      "suppressed_recipient",
    ])
  })

  it("that complained is never mailed", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "someone@example.com" })
    await env.DB.prepare("update suppressions set reason = 'complaint' where team_id = ?")
      .bind(team.id)
      .run()
    const reply = await team.api.post("/emails", message(team, { overrideSuppression: true }))
    expect(refusal(reply)).toEqual([422, "suppressed_recipient"])
  })

  it("of another team blocks nothing", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    await other.api.post("/suppressions", { email: "someone@example.com" })
    expect((await team.api.post("/emails", message(team))).status).toBe(201)
  })
})

/** A day in the future. */
const DAY = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10)

describe("an idempotency key", () => {
  it("gives the first id again, with 200", async () => {
    const team = await makeTeam()
    const body = message(team, { idempotencyKey: "order-1" })
    const first = await team.api.post("/emails", body)
    const again = await team.api.post("/emails", body)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    expect((await team.api.get("/emails")).body.data).toHaveLength(1)
  })

  it("takes two spellings of one input as one", async () => {
    const team = await makeTeam()
    const at = `${DAY}T12:00:00.000Z`
    const first = await team.api.post(
      "/emails",
      message(team, { idempotencyKey: "k", scheduledAt: at, headers: { "X-A": "1", "X-B": "2" } }),
    )
    const again = await team.api.post("/emails", {
      headers: { "X-B": "2", "X-A": "1" },
      ...message(team, { scheduledAt: `${DAY}T14:00:00+02:00`, cc: [], unknown: 1 }),
      to: ["SOMEONE@example.com"],
      idempotencyKey: "k",
    })
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it("takes a scheduledAt of null as an absent one", async () => {
    const team = await makeTeam()
    const first = await team.api.post("/emails", message(team, { idempotencyKey: "k" }))
    const body = message(team, { idempotencyKey: "k", scheduledAt: null })
    const again = await team.api.post("/emails", body)
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it("takes two spellings of an attachment as one", async () => {
    const team = await makeTeam()
    const replies = []
    for (const content of ["-_-_aGk", "+/+/\r\naGk=\r\n"]) {
      const attachments = [{ filename: "a.bin", content }]
      replies.push(
        await team.api.post("/emails", message(team, { idempotencyKey: "k", attachments })),
      )
    }
    expect(replies.map(({ status }) => status)).toEqual([201, 200])
  })

  it.each(["x", "\u00e9"])("tells long texts of %s apart", async (letter) => {
    const team = await makeTeam()
    const statuses = []
    for (const html of [
      letter.repeat(70_000),
      letter.repeat(70_000),
      `${letter.repeat(69_999)}z`,
    ]) {
      const body = message(team, { idempotencyKey: "k", html })
      statuses.push((await team.api.post("/emails", body)).status)
    }
    expect(statuses).toEqual([201, 200, 409])
  })

  it("leaves no copy of a large content behind when it replays", async () => {
    const team = await makeTeam()
    const html = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    const body = message(team, { idempotencyKey: "k", html })
    const { body: first } = await team.api.post("/emails", body)
    await team.api.post("/emails", body)
    await eventually(async () => {
      const { objects } = await env.CONTENT.list({ prefix: "content/" })
      expect(objects.map(({ key }) => key)).toEqual([`content/${team.id}/${first.id}`])
    })
  })

  it("with another input is a conflict", async () => {
    const team = await makeTeam()
    await team.api.post("/emails", message(team, { idempotencyKey: "k" }))
    const reply = await team.api.post("/emails", message(team, { idempotencyKey: "k", text: "Ho" }))
    expect(refusal(reply)).toEqual([409, "idempotency_conflict"])
  })

  it("compares the Message-ID where there is one", async () => {
    const team = await makeTeam()
    const send = (id?: string) =>
      team.api.post("/emails", message(team, { idempotencyKey: "k", messageId: id }))
    expect((await send(`<one@${team.domain}>`)).status).toBe(201)
    expect((await send(`<one@${team.domain}>`)).status).toBe(200)
    expect(refusal(await send(`<two@${team.domain}>`))).toEqual([409, "idempotency_conflict"])
    expect(refusal(await send())).toEqual([409, "idempotency_conflict"])
  })

  it("replays even what would now be refused", async () => {
    const team = await makeTeam()
    const body = message(team, { idempotencyKey: "k" })
    const first = await team.api.post("/emails", body)
    await team.api.post("/suppressions", { email: "someone@example.com" })
    await env.DB.prepare("delete from domains where team_id = ?").bind(team.id).run()
    const again = await team.api.post("/emails", body)
    expect([again.status, again.body]).toEqual([200, first.body])
  })

  it("belongs to one team", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const first = await team.api.post("/emails", message(team, { idempotencyKey: "k" }))
    const theirs = await other.api.post("/emails", message(other, { idempotencyKey: "k" }))
    expect(theirs.status).toBe(201)
    expect(theirs.body.id).not.toBe(first.body.id)
  })

  it("may travel in the header, but not as another one in the body", async () => {
    const team = await makeTeam()
    const header = { "idempotency-key": "h" }
    const first = await team.api.post("/emails", message(team), header)
    const again = await team.api.post("/emails", message(team, { idempotencyKey: "h" }))
    expect([again.status, again.body]).toEqual([200, first.body])
    const both = await team.api.post("/emails", message(team, { idempotencyKey: "b" }), header)
    expect(refusal(both)).toEqual([400, "validation_error"])
  })

  it("in the header must be UTF-8, so that different keys stay different", async () => {
    const team = await makeTeam()
    const key = (text: string) => ({ "idempotency-key": text })
    const first = await team.api.post("/emails", message(team), key("müller"))
    const other = await team.api.post("/emails", message(team), key("möller"))
    expect(other.status).toBe(201)
    expect(other.body.id).not.toBe(first.body.id)
    // The runtime reads a byte that is not UTF-8 as this character.
    const unreadable = await team.api.post("/emails", message(team), key("m\ufffdller"))
    expect(refusal(unreadable)).toEqual([400, "validation_error"])
  })

  it("of twenty requests at the same moment makes one email", async () => {
    const team = await makeTeam()
    const body = message(team, { idempotencyKey: "race" })
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => team.api.post("/emails", body)),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(new Set(replies.map(({ body: { id } }) => id)).size).toBe(1)
    expect((await team.api.get("/emails")).body.data).toHaveLength(1)
  })

  it("leaves out an override that a sending-only key may not make", async () => {
    const team = await makeTeam()
    const plain = message(team, { idempotencyKey: "k" })
    const first = await team.sendingOnly.post("/emails", { ...plain, overrideSuppression: true })
    const again = await team.sendingOnly.post("/emails", plain)
    expect([again.status, again.body]).toEqual([200, first.body])
    const full = await team.api.post("/emails", { ...plain, overrideSuppression: true })
    expect(refusal(full)).toEqual([409, "idempotency_conflict"])
  })

  it("has the fingerprints that earlier versions have stored", () => {
    const input: SendInput = {
      variables: { b: [{ d: 1, c: null }], a: true },
      from: { address: "a@demo.test", name: 'Ada "A"' },
      to: [{ address: "b@example.com" }],
      cc: [],
      bcc: [],
      replyTo: [],
      subject: "Grüße",
      html: "<p>\u2028👋</p>\n",
      text: undefined,
      headers: { "X-B": "2", "X-A": "1" },
      attachments: [{ filename: "f", content: "AAAA" }],
      tags: { z: "1", 10: "2", 9: "3" },
      scheduledAt: 1_900_000_000_000,
      overrideSuppression: true,
      onSuppressed: undefined,
      idempotencyKey: "k",
    }
    const composed = { ok: false, error: notFound("Template") } as const
    const { fingerprint, sendingOnlyFingerprint } = prepare({ now: Date.now }, input, composed, 0)
    expect([fingerprint, sendingOnlyFingerprint]).toEqual([
      "aea4ead7e6d760f24594bd22b8d3125d921599a9cef9306af5f1ee5066e0602b",
      "80912d9286703bd7b38a4fd40bd72c6634ed99542b8689eb065f952349d1ea5e",
    ])
  })
})

describe("a batch", () => {
  it("is stored in order", async () => {
    const team = await makeTeam()
    const items = Array.from({ length: 100 }, (_, index) =>
      message(team, { subject: `No ${index}` }),
    )
    const { status, body } = await team.api.post("/emails/batch", items)
    expect(status).toBe(201)
    const ids = body.data.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([...ids].sort())
    const { body: seventh } = await team.api.get(`/emails/${ids[7]}`)
    expect(seventh.subject).toBe("No 7")
  })

  it.each([
    ["an unverified domain", { from: "a@elsewhere.test" }, "domain_not_verified", undefined],
    [
      "a suppressed recipient",
      { to: "stop@example.com" },
      "suppressed_recipient",
      [{ email: "stop@example.com", reason: "manual" }],
    ],
  ])("with %s stores nothing and names the item", async (_name, change, code, cause) => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "stop@example.com" })
    const reply = await team.api.post("/emails/batch", [
      message(team),
      message(team),
      message(team, change),
    ])
    expect(refusal(reply)).toEqual([422, code])
    expect(reply.body.error.details).toEqual({ index: 2, ...(cause && { cause }) })
    expect((await team.api.get("/emails")).body.data).toEqual([])
    const left = await env.DB.prepare(
      `select (select count(*) from email_recipients where team_id = ?1)
        + (select count(*) from email_contents where team_id = ?1) as rows`,
    )
      .bind(team.id)
      .first("rows")
    expect(left).toBe(0)
  })

  it("of one item that overrides a suppression and one that does not is refused", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: "someone@example.com" })
    const items = [message(team, { overrideSuppression: true }), message(team)]
    const reply = await team.api.post("/emails/batch", items)
    expect(refusal(reply)).toEqual([422, "suppressed_recipient"])
    expect(reply.body.error.details).toMatchObject({ index: 1 })
  })

  it("from several domains stores each email with its own", async () => {
    const { api, id, domain, domainId } = await makeTeam()
    const other = `other-${domain}`
    const otherId = await addDomain(id, other)
    const [plain, away] = [message({ domain }), message({ domain: other })]
    const overriding = { ...plain, overrideSuppression: true }
    const { body } = await api.post("/emails/batch", [plain, away, overriding, plain])
    const stored = await Promise.all(
      body.data.map(
        async (one: { id: string }) => (await api.get(`/emails/${one.id}`)).body.domainId,
      ),
    )
    expect(stored).toEqual([domainId, otherId, domainId, domainId])
  })

  it("gives each item a key of its own when the header has one", async () => {
    const team = await makeTeam()
    const items = [message(team), message(team, { idempotencyKey: "own" }), message(team)]
    const header = { "idempotency-key": "call" }
    const first = await team.api.post("/emails/batch", items, header)
    expect(first.status).toBe(201)
    const again = await team.api.post("/emails/batch", items, header)
    expect([again.status, again.body]).toEqual([200, first.body])
    const single = await team.api.post("/emails", message(team), { "idempotency-key": "call#2" })
    expect([single.status, single.body.id]).toEqual([200, first.body.data[2].id])
  })

  it("of replays and new items answers 201 and stores the new ones", async () => {
    const team = await makeTeam()
    const old = message(team, { idempotencyKey: "old" })
    const { body: first } = await team.api.post("/emails", old)
    const reply = await team.api.post("/emails/batch", [old, message(team)])
    expect(reply.status).toBe(201)
    expect(reply.body.data[0].id).toBe(first.id)
    expect((await team.api.get("/emails")).body.data).toHaveLength(2)
  })

  it("that repeats a key makes one email, or a conflict if the inputs differ", async () => {
    const team = await makeTeam()
    const same = message(team, { idempotencyKey: "k" })
    const { body } = await team.api.post("/emails/batch", [same, same])
    expect(body.data[0].id).toBe(body.data[1].id)
    const differing = [
      message(team, { idempotencyKey: "n" }),
      { ...same, idempotencyKey: "n", text: "x" },
    ]
    const reply = await team.api.post("/emails/batch", differing)
    expect(refusal(reply)).toEqual([409, "idempotency_conflict"])
    expect(reply.body.error.details).toEqual({ index: 1 })
  })

  it("of a sending-only key compares items without the override that it ignores", async () => {
    const team = await makeTeam()
    const plain = message(team, { idempotencyKey: "k" })
    const items = [plain, { ...plain, overrideSuppression: true }]
    const { status, body } = await team.sendingOnly.post("/emails/batch", items)
    expect([status, body.data[0]]).toEqual([201, body.data[1]])
    expect(refusal(await team.api.post("/emails/batch", items))).toEqual([
      409,
      "idempotency_conflict",
    ])
  })

  it("of a hundred with fifty recipients and large contents each is stored whole", async () => {
    const team = await makeTeam()
    const items = Array.from({ length: 100 }, (_, index) =>
      message(team, {
        to: Array.from(
          { length: 50 },
          (_, n) => `${"N".repeat(250)} <to-${index}-${n}@example.com>`,
        ),
        html: `<p>${crypto.randomUUID().repeat(500)}</p>`,
        scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    )
    const reply = await team.api.post("/emails/batch", items)
    expect(reply.status).toBe(201)
    const { body } = await team.api.get("/emails?to=to-99-49@example.com")
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([reply.body.data[99].id])
  })
})

describe("the accepted email", () => {
  it("shows what was sent in, normalised", async () => {
    const team = await makeTeam()
    const { body } = await team.api.post("/emails", {
      from: `"Doe, Jo" <Jo@${team.domain.toUpperCase()}>`,
      to: ["Ann <ANN@example.com>", "bob@example.com"],
      cc: "cc@example.com",
      bcc: ["bcc@example.com"],
      replyTo: "Help <help@example.com>",
      subject: "  Trimmed  ",
      html: "<p>Hi</p>",
      tags: { kind: "welcome" },
      scheduledAt: `${DAY}T10:00:00+01:00`,
    })
    expect((await team.api.get(`/emails/${body.id}`)).body).toEqual({
      id: body.id,
      from: `"Doe, Jo" <jo@${team.domain}>`,
      to: ["Ann <ann@example.com>", "bob@example.com"],
      cc: ["cc@example.com"],
      bcc: ["bcc@example.com"],
      replyTo: ["Help <help@example.com>"],
      subject: "Trimmed",
      status: "scheduled",
      tags: { kind: "welcome" },
      domainId: team.domainId,
      campaignId: null,
      templateId: null,
      scheduledAt: `${DAY}T09:00:00.000Z`,
      sentAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastError: null,
      sequenceId: null,
      runId: null,
      events: [],
    })
  })

  it.each([
    ["without seconds", `${DAY}T10:00+01:00`],
    ["without seconds, in UTC", `${DAY}T09:00Z`],
    ["without the colon of the offset", `${DAY}T10:00:00+0100`],
    ["without the minutes of the offset", `${DAY}T10:00:00+01`],
    ["with microseconds", `${DAY}T09:00:00.000000+00:00`],
  ])("takes a time %s", async (_, scheduledAt) => {
    const team = await makeTeam()
    const { status, body } = await team.api.post("/emails", message(team, { scheduledAt }))
    expect(status).toBe(201)
    const email = (await team.api.get(`/emails/${body.id}`)).body
    expect(email.scheduledAt).toBe(`${DAY}T09:00:00.000Z`)
  })

  it("is queued when its time is near or past", async () => {
    const team = await makeTeam()
    for (const ms of [4_000, -86_400_000]) {
      const scheduledAt = new Date(Date.now() + ms).toISOString()
      const { body } = await team.api.post("/emails", message(team, { scheduledAt }))
      expect((await team.api.get(`/emails/${body.id}`)).body.scheduledAt).toBeNull()
    }
  })

  it("arrives whole when its attachments fill ten MiB", async () => {
    const team = await makeTeam()
    const content = Buffer.alloc(10 * 1024 * 1024, "0123456789abcdef").toString("base64")
    const { status, body } = await team.api.post(
      "/emails",
      message(team, { attachments: [{ filename: "big.bin", content }] }),
    )
    expect(status).toBe(201)
    const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
    expect(inbox.data[0].attachments).toEqual([
      {
        filename: "big.bin",
        contentType: "application/octet-stream",
        size: 10 * 1024 * 1024,
        contentId: null,
      },
    ])
  })
})

it("an email goes out at its time without the sweep when the time is near", async () => {
  await eventually(async () => {
    const { body: email } = await near.team.api.get(`/emails/${near.id}`)
    expect(email.status).toBe("delivered")
    expect(email.sentAt >= near.scheduledAt).toBe(true)
  })
})
