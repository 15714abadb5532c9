import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { loadContent } from "../../../src/worker/emails/content.ts"
import type { Stored } from "../../../src/worker/platform/db/overflow.ts"
import type { Api } from "../../support/api.ts"
import { metered } from "../../support/meter.ts"
import { addDomain, makeTeam } from "../../support/team.ts"
import { warmed } from "../../support/warm.ts"

const welcome = {
  slug: "welcome",
  name: "Welcome",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}, {{ plan }}</p>",
  bodyText: "Hello {{ name }}, {{ plan }}",
  variablesSchema: { variables: [{ name: "plan", default: "free" }] },
}

async function makeTemplate(api: Api, fields: object = {}) {
  const { status, body } = await api.post("/templates", { ...welcome, ...fields })
  expect(status).toBe(201)
  return body
}

describe("templates", () => {
  it("a new one has version 1 and is found by slug and by id", async () => {
    const { api } = await makeTeam()
    const created = await makeTemplate(api)
    expect(created).toMatchObject({ ...welcome, version: 1 })
    expect(created.id).toMatch(/^tpl_/)
    const bySlug = await api.get("/templates/welcome")
    const byId = await api.get(`/templates/${created.id}`)
    expect(bySlug.body).toEqual(byId.body)
    expect(bySlug.body.versions).toEqual([
      {
        version: 1,
        snapshot: {
          name: welcome.name,
          subject: welcome.subject,
          bodyHtml: welcome.bodyHtml,
          bodyText: welcome.bodyText,
          variablesSchema: welcome.variablesSchema,
        },
        publishedBy: "Test",
        createdAt: created.createdAt,
      },
    ])
  })

  it("text and schema may be left out", async () => {
    const { api } = await makeTeam()
    const { body } = await api.post("/templates", {
      slug: "a",
      name: " A ",
      subject: " S ",
      bodyHtml: "<p></p>",
    })
    expect(body).toMatchObject({
      name: "A",
      subject: "S",
      bodyText: null,
      variablesSchema: { variables: [] },
    })
  })

  it.each([
    ["upper case", { slug: "Welcome" }],
    ["an underscore", { slug: "a_b" }],
    ["a leading hyphen", { slug: "-a" }],
    ["a double hyphen", { slug: "a--b" }],
    ["65 characters", { slug: "a".repeat(65) }],
    ["no slug", { slug: undefined }],
    ["no name", { name: " " }],
    ["no subject", { subject: undefined }],
    ["a subject of two lines", { subject: "a\nb" }],
    ["no html", { bodyHtml: undefined }],
    ["half a surrogate pair in its html", { bodyHtml: "a\ud800" }],
    ["half a surrogate pair in its text", { bodyText: "a\udc00b" }],
    [
      "half a surrogate pair in a default",
      { variablesSchema: { variables: [{ name: "a", default: "\ud800" }] } },
    ],
    ["a variable that is no name", { variablesSchema: { variables: [{ name: "a b" }] } }],
    [
      "a variable declared twice",
      { variablesSchema: { variables: [{ name: "a" }, { name: "a" }] } },
    ],
    [
      "a default of another type",
      { variablesSchema: { variables: [{ name: "a", type: "number", default: "1" }] } },
    ],
  ])("refuses %s", async (_, fields) => {
    const { api } = await makeTeam()
    const { status, body } = await api.post("/templates", { ...welcome, ...fields })
    expect([status, body.error.code]).toEqual([400, "validation_error"])
  })

  it("a slug is taken once a team", async () => {
    const { api } = await makeTeam()
    const other = await makeTeam()
    await makeTemplate(api)
    expect((await api.post("/templates", welcome)).status).toBe(409)
    expect((await other.api.post("/templates", welcome)).status).toBe(201)
  })

  it("a change makes the next version, a change of nothing makes none", async () => {
    const { api } = await makeTeam()
    const created = await makeTemplate(api)
    const changed = await api.patch("/templates/welcome", { subject: "Hi", bodyText: null })
    expect(changed.body).toMatchObject({ subject: "Hi", bodyText: null, version: 2 })
    const same = await api.patch(`/templates/${created.id}`, {
      subject: "Hi",
      variablesSchema: welcome.variablesSchema,
    })
    expect(same.body).toEqual(changed.body)
    const { body } = await api.get("/templates/welcome")
    expect(body.versions.map((one: { version: number }) => one.version)).toEqual([2, 1])
    expect(body.versions[0].snapshot).toMatchObject({ subject: "Hi", bodyText: null })
    expect(body.versions[1].snapshot.subject).toBe(welcome.subject)
  })

  it("a slug in a change is dropped, and alone it is no change", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api)
    const both = await api.patch("/templates/welcome", { slug: "other", name: "New" })
    expect(both.body).toMatchObject({ slug: "welcome", name: "New" })
    expect((await api.patch("/templates/welcome", { slug: "other" })).status).toBe(400)
  })

  it.each([
    ["characters", "x".repeat(1_000_000)],
    ["escapes of its JSON", "\n".repeat(500_000)],
  ])("refuses a change to more than a row holds, in %s", async (_, large) => {
    const { api } = await makeTeam()
    const created = await makeTemplate(api, { bodyHtml: large, bodyText: null })
    const refused = await api.patch("/templates/welcome", { bodyText: large })
    expect([refused.status, refused.body.error.code]).toEqual([400, "validation_error"])
    expect(refused.body.error.message).toContain("1900000 bytes")
    const { versions, ...stored } = (await api.get("/templates/welcome")).body
    expect(stored).toEqual(created)
    expect(versions).toHaveLength(1)
    const fits = { bodyText: large.slice(0, large.length * 0.85) }
    expect((await api.patch("/templates/welcome", fits)).body).toMatchObject({ version: 2 })
    const moved = { bodyHtml: "<p></p>", bodyText: large }
    expect((await api.patch("/templates/welcome", moved)).body).toMatchObject({ version: 3 })
  })

  it("concurrent changes each make their version, and 20 are shown", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api)
    await Promise.all(
      Array.from({ length: 24 }, (_, i) => api.patch("/templates/welcome", { name: `Name ${i}` })),
    )
    const { body } = await api.get("/templates/welcome")
    expect(body.version).toBe(25)
    expect(body.versions.map((one: { version: number }) => one.version)).toEqual(
      Array.from({ length: 20 }, (_, i) => 25 - i),
    )
    const names = body.versions.map((one: { snapshot: { name: string } }) => one.snapshot.name)
    expect(new Set(names).size).toBe(20)
  })

  it("a deleted one is gone with its versions", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api)
    expect((await api.delete("/templates/welcome")).status).toBe(204)
    expect((await api.get("/templates/welcome")).status).toBe(404)
    expect((await api.delete("/templates/welcome")).status).toBe(404)
    await makeTemplate(api)
    expect((await api.get("/templates/welcome")).body.versions).toHaveLength(1)
  })

  it("another team's cannot be told from one that is not there", async () => {
    const { api } = await makeTeam()
    const other = await makeTeam()
    const { id } = await makeTemplate(other.api)
    const replies = await Promise.all([
      api.get(`/templates/${id}`),
      api.patch(`/templates/${id}`, { name: "x" }),
      api.delete(`/templates/${id}`),
      api.post(`/templates/${id}/render`, {}),
      api.get("/templates/tpl_nonsense"),
    ])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]))
    expect((await other.api.get(`/templates/${id}`)).status).toBe(200)
  })

  it("are listed newest first, a page at a time", async () => {
    const { api } = await makeTeam()
    for (const slug of ["a", "b", "c"]) await makeTemplate(api, { slug })
    const first = await api.get("/templates?limit=2")
    expect(first.body.data.map((one: { slug: string }) => one.slug)).toEqual(["c", "b"])
    const second = await api.get(`/templates?limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ data: [{ slug: "a" }], nextCursor: null })
  })

  it("a render names what is missing and what is wrong", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api)
    const { status, body } = await api.post("/templates/welcome/render", {
      variables: { plan: [] },
    })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: "validation_error",
      details: { missing: ["name"], invalid: ["plan"] },
    })
  })

  it("a prototype's name in the variables is no value", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api, { bodyHtml: "{{ __proto__.polluted }}{{ constructor }}" })
    const render = (body: string) => api.post("/templates/welcome/render", body)
    const missing = await render('{"variables":{"name":"x","plan":"y"}}')
    expect(missing.body.error.details.missing).toEqual(["__proto__.polluted", "constructor"])
    const refused = await render('{"variables":{"name":"x","__proto__":{"polluted":"yes"}}}')
    expect(refused.body.error.details).toMatchObject([{ path: ["variables", "__proto__"] }])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it("a render takes at most 256 KiB, 64 KiB of variables and 200 of them", async () => {
    const { api } = await makeTeam()
    await makeTemplate(api)
    const render = (variables: object) => api.post("/templates/welcome/render", { variables })
    expect((await render({ name: "x".repeat(257 * 1024) })).status).toBe(413)
    expect((await render({ name: "x".repeat(65 * 1024) })).status).toBe(400)
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`v${i}`, 1]))
    expect((await render(many)).status).toBe(400)
  })
})

describe("sending with a template", () => {
  const variables = { name: "Ada <\"&'> {{ plan }} 👩‍🚀" }

  it("stores byte for byte what a render answers", async () => {
    const { api, domain } = await makeTeam()
    const { id: templateId } = await makeTemplate(api)
    const rendered = await api.post("/templates/welcome/render", { variables })
    const sent = await api.post("/emails", {
      from: `a@${domain}`,
      to: "someone@example.com",
      template: "welcome",
      variables,
    })
    expect(sent.status).toBe(201)
    const { body: email } = await api.get(`/emails/${sent.body.id}`)
    expect(email).toMatchObject({ subject: rendered.body.subject, templateId })
    const stored = await env.DB.prepare(
      "select body, object_key as objectKey from email_contents where email_id = ?",
    )
      .bind(sent.body.id)
      .first<Stored>()
    expect(stored && (await loadContent(env, stored))).toMatchObject({
      html: rendered.body.html,
      text: rendered.body.text,
    })
    const inbox = await api.get(`/sandbox/messages?emailId=${sent.body.id}&wait=30`)
    const [{ subject, html, text }] = inbox.body.data
    // a MIME part ends its last line
    expect({ subject, html: html.trimEnd(), text: text.trimEnd() }).toEqual(rendered.body)
  })

  it("the request's subject wins, and then the template's is not rendered", async () => {
    const { api, domain } = await makeTeam()
    const template = await makeTemplate(api, { subject: "{{ unknown }}" })
    const message = {
      from: `a@${domain}`,
      to: "someone@example.com",
      template: template.id,
      variables,
    }
    const without = await api.post("/emails", message)
    expect(without.body.error.details).toEqual({ missing: ["unknown"], invalid: [] })
    const sent = await api.post("/emails", { ...message, subject: "Mine {{ name }}" })
    const { body } = await api.get(`/emails/${sent.body.id}`)
    expect(body.subject).toBe("Mine {{ name }}")
  })

  it("an unknown slug is a fault of the template member, before domain and suppression", async () => {
    const { api } = await makeTeam()
    const { status, body } = await api.post("/emails", {
      from: "a@unverified.example",
      to: "someone@example.com",
      template: "nowhere",
    })
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: "validation_error",
      details: [{ path: ["template"] }],
    })
  })

  it("another team's template is unknown", async () => {
    const { api, domain } = await makeTeam()
    const other = await makeTeam()
    const { id } = await makeTemplate(other.api)
    for (const template of [id, "welcome"]) {
      const message = { from: `a@${domain}`, to: "b@example.com", template, variables }
      expect((await api.post("/emails", message)).status).toBe(400)
    }
  })

  it("a replay succeeds after the template changed and after it was deleted", async () => {
    const { api, domain } = await makeTeam()
    await makeTemplate(api)
    const message = {
      from: `a@${domain}`,
      to: "someone@example.com",
      template: "welcome",
      variables,
      idempotencyKey: "once",
    }
    const first = await api.post("/emails", message)
    expect(first.status).toBe(201)
    await api.patch("/templates/welcome", { bodyHtml: "<p>{{ other }}</p>" })
    expect(await api.post("/emails", message)).toMatchObject({ status: 200, body: first.body })
    await api.delete("/templates/welcome")
    expect(await api.post("/emails", message)).toMatchObject({ status: 200, body: first.body })
    const changed = { ...message, variables: { name: "Other" } }
    expect((await api.post("/emails", changed)).body.error.code).toBe("idempotency_conflict")
  })

  it("a batch names the first item that is refused, whatever it is refused for", async () => {
    const { api, domain } = await makeTeam()
    await makeTemplate(api)
    const good = { from: `a@${domain}`, to: "b@example.com", template: "welcome", variables }
    const missing = await api.post("/emails/batch", [good, { ...good, variables: {} }])
    expect(missing.status).toBe(400)
    expect(missing.body.error.details).toEqual({
      index: 1,
      cause: { missing: ["name"], invalid: [] },
    })
    const domainFirst = await api.post("/emails/batch", [
      { ...good, from: "a@unverified.example" },
      { ...good, variables: {} },
    ])
    expect(domainFirst.status).toBe(422)
    expect(domainFirst.body.error.details.index).toBe(0)
    expect((await api.get("/emails")).body.data).toEqual([])
  })

  it("costs two round trips, also for a batch that uses several", async () => {
    const { api, domain, id: teamId } = await makeTeam()
    await addDomain(teamId, `sub.${domain}`)
    await makeTemplate(api)
    await makeTemplate(api, { slug: "second", bodyHtml: "<p>2</p>" })
    await warmed(api)
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const one = (template: string) => ({
      from: `a@${domain}`,
      to: "b@example.com",
      template,
      variables,
      scheduledAt,
    })
    const single = await metered(async () => {
      expect((await api.post("/emails", one("welcome"))).status).toBe(201)
    })
    expect(single.roundTrips).toBe(2)
    expect(single.rowsWritten).toBeLessThanOrEqual(5)
    const batch = await metered(async () => {
      const mixed = ["welcome", "second", "welcome"].map(one)
      expect((await api.post("/emails/batch", mixed)).status).toBe(201)
    })
    expect(batch.roundTrips).toBe(2)
  })

  it("a batch that would render into more than memory holds is refused", async () => {
    const { api, domain } = await makeTeam()
    await makeTemplate(api, { bodyHtml: "{{ v }}".repeat(60), bodyText: null, subject: "S" })
    const item = {
      from: `a@${domain}`,
      to: "b@example.com",
      template: "welcome",
      variables: { v: "x".repeat(60_000) },
    }
    const { status, body } = await api.post("/emails/batch", Array(10).fill(item))
    expect([status, body.error.code]).toEqual([413, "payload_too_large"])
    expect(body.error.details.index).toBe(7)
  })
})
