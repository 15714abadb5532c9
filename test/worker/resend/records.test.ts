import { env } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeTeam } from "../../support/team.ts"
import { made, ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

const setUp = async () => {
  const team = await makeTeam()
  const given = { team, resend: createResend(team.api.key) }
  return { ...given, given }
}

const ADA = { email: "ada@example.com", firstName: "Ada", lastName: "Byron" }

describe("contacts", () => {
  it("without a segment are in one default book, and read by address or id", async () => {
    const { team, resend } = await setUp()
    expect(await ok(resend.contacts.list())).toEqual({ object: "list", has_more: false, data: [] })
    const properties = { city: "London", age: 36, none: null }
    const { id } = await ok(resend.contacts.create({ ...ADA, properties }))
    const expected = {
      object: "contact",
      id,
      email: ADA.email,
      first_name: "Ada",
      last_name: "Byron",
      unsubscribed: false,
      created_at: expect.any(String),
      properties: {
        city: { type: "string", value: "London" },
        age: { type: "number", value: 36 },
      },
    }
    expect(await ok(resend.contacts.get(id))).toEqual(expected)
    expect(await ok(resend.contacts.get({ email: "Ada@Example.com" }))).toEqual(expected)
    const { properties: _, object: __, ...record } = expected
    expect((await ok(resend.contacts.list())).data).toEqual([record])
    expect((await ok(resend.segments.list())).data).toEqual([])
    const books = (await team.api.get("/contact-books")).body.data
    expect(books).toMatchObject([{ name: "Contacts", contactCount: 1 }])
    expect(await resend.contacts.create(ADA)).toMatchObject({ error: { statusCode: 409 } })
  })

  it("of a segment are in its book, too, and lose consent in both", async () => {
    const { team, resend } = await setUp()
    const segment = await ok(resend.segments.create({ name: "Readers" }))
    const { id } = await ok(resend.contacts.create({ ...ADA, segments: [{ id: segment.id }] }))
    const inSegment = await ok(resend.contacts.list({ segmentId: segment.id }))
    expect(inSegment.data).toMatchObject([{ email: ADA.email, unsubscribed: false }])
    await ok(resend.contacts.update({ id, unsubscribed: true, lastName: null }))
    const contacts = (await team.api.get(`/contact-books/${segment.id}/contacts`)).body.data
    expect(contacts).toMatchObject([{ subscribed: false, firstName: "Ada", lastName: null }])
    expect(await ok(resend.contacts.get(id))).toMatchObject({ unsubscribed: true })
    expect((await ok(resend.contacts.segments.list(ADA))).data).toMatchObject([
      { id: segment.id, name: "Readers" },
    ])
    const other = await ok(resend.segments.create({ name: "Buyers" }))
    await ok(resend.contacts.segments.add({ email: ADA.email, segmentId: other.id }))
    await ok(resend.contacts.segments.add({ email: ADA.email, segmentId: other.id }))
    const bought = await ok(resend.contacts.list({ segmentId: other.id }))
    expect(bought.data).toMatchObject([{ first_name: "Ada", unsubscribed: true }])
    await ok(resend.contacts.segments.remove({ email: ADA.email, segmentId: other.id }))
    expect((await ok(resend.contacts.list({ segmentId: other.id }))).data).toEqual([])
    await ok(resend.contacts.remove({ email: ADA.email }))
    expect((await ok(resend.contacts.list({ segmentId: segment.id }))).data).toEqual([])
    expect(await resend.contacts.get(id)).toMatchObject({ error: { name: "not_found" } })
  })

  it("who unsubscribed stay so when a new segment takes them up", async () => {
    const { resend } = await setUp()
    await ok(resend.contacts.create({ ...ADA, unsubscribed: true }))
    const { id } = await ok(resend.segments.create({ name: "Readers" }))
    await ok(resend.contacts.create({ email: ADA.email, segments: [{ id }] }))
    const { data } = await ok(resend.contacts.list({ segmentId: id }))
    expect(data).toMatchObject([{ unsubscribed: true }])
  })

  it("that our own API added are found by address, and kept when their segment lets go", async () => {
    const { team, resend } = await setUp()
    const { id: bookId } = (await team.api.post("/contact-books", { name: "Readers" })).body
    await team.api.post(`/contact-books/${bookId}/contacts`, { email: ADA.email })
    expect(await ok(resend.contacts.get(ADA))).toMatchObject({ email: ADA.email })
    await ok(resend.contacts.segments.remove({ email: ADA.email, segmentId: bookId }))
    expect((await ok(resend.contacts.list())).data).toMatchObject([{ email: ADA.email }])
  })

  it("keep the properties that a change does not name", async () => {
    const { resend } = await setUp()
    await ok(resend.contacts.create({ ...ADA, properties: { city: "London", plan: "free" } }))
    await ok(resend.contacts.update({ email: ADA.email, properties: { plan: null, seats: 3 } }))
    expect((await ok(resend.contacts.get(ADA))).properties).toEqual({
      city: { type: "string", value: "London" },
      seats: { type: "number", value: 3 },
    })
  })

  it("of an audience are those of the former paths", async () => {
    const { resend } = await setUp()
    const { id: audienceId } = await ok(resend.audiences.create({ name: "Readers" }))
    await ok(resend.contacts.create({ ...ADA, audienceId }))
    const { id } = await ok(resend.contacts.get({ email: ADA.email, audienceId }))
    await ok(resend.contacts.update({ id, audienceId, unsubscribed: true }))
    expect((await ok(resend.contacts.list({ audienceId }))).data).toMatchObject([
      { id, unsubscribed: true },
    ])
    await ok(resend.contacts.remove({ id, audienceId }))
    expect((await ok(resend.contacts.list({ audienceId }))).data).toEqual([])
    expect((await ok(resend.contacts.list())).data).toHaveLength(1)
  })

  it("of another team are not found", async () => {
    const { resend } = await setUp()
    const { id } = await ok(resend.contacts.create(ADA))
    const stranger = (await setUp()).resend
    expect(await stranger.contacts.get(id)).toMatchObject({ error: { name: "not_found" } })
    expect(await stranger.contacts.remove(ADA)).toMatchObject({ error: { name: "not_found" } })
  })

  it("do not come back into the default book while its contacts are being deleted", async () => {
    const { team, resend } = await setUp()
    await ok(resend.contacts.create(ADA))
    const [book] = (await team.api.get("/contact-books")).body.data
    expect(await resend.segments.remove(book.id)).toMatchObject({ error: { statusCode: 409 } })
    await team.api.delete(`/contact-books/${book.id}`)
    await env.DB.prepare("insert into deleted_books (team_id, id) values (?, ?)")
      .bind(team.id, book.id)
      .run()
    expect(await resend.contacts.create(ADA)).toMatchObject({ error: { statusCode: 404 } })
    await env.DB.prepare("delete from deleted_books where team_id = ?").bind(team.id).run()
    await ok(resend.contacts.create(ADA))
  })
})

it("segments are books: those that filter a book do not appear, but a broadcast to them does", async () => {
  const { team, resend, given } = await setUp()
  const book = await made.segment(given)
  const { body: filter } = await team.api.post("/segments", {
    ...{ bookId: book.id, name: "Londoners" },
    filter: { all: [{ field: "properties.city", op: "is", value: "London" }] },
  })
  expect((await ok(resend.segments.list())).data.map(({ id }) => id)).toEqual([book.id])
  expect((await resend.segments.get(filter.id)).error).toMatchObject({ name: "not_found" })
  const { id } = await made.broadcast(given)
  const to = { bookId: book.id, segmentId: filter.id }
  expect((await team.api.patch(`/campaigns/${id}`, to)).status).toBe(200)
  expect(await ok(resend.broadcasts.get(id))).toMatchObject({ segment_id: book.id })
})

describe("suppressions", () => {
  it("are added, read and removed alone and in batches", async () => {
    const { team, resend } = await setUp()
    const { id } = await ok(resend.suppressions.add({ email: "Gone@Example.com" }))
    const expected = {
      id,
      email: "gone@example.com",
      origin: "manual",
      source_id: null,
      created_at: expect.any(String),
    }
    expect(await ok(resend.suppressions.get(id))).toEqual({ object: "suppression", ...expected })
    const emails = ["left@example.com", "gone@example.com", "never@example.com"]
    const { data } = await ok(resend.suppressions.batch.add({ emails }))
    expect(data.map((one) => one.id)).toContain(id)
    expect((await ok(resend.suppressions.list())).data).toHaveLength(3)
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(3)
    const removed = await ok(
      resend.suppressions.batch.remove({ emails: ["left@example.com", "unknown@example.com"] }),
    )
    expect(removed.data).toMatchObject([{ object: "suppression", deleted: true }])
    await ok(resend.suppressions.batch.remove({ ids: [id] }))
    expect((await ok(resend.suppressions.list())).data).toMatchObject([
      { email: "never@example.com" },
    ])
    expect(await resend.suppressions.remove(id)).toMatchObject({ error: { name: "not_found" } })
    const { error } = await resend.suppressions.batch.add({ emails: ["nobody"] })
    expect(error).toMatchObject({ statusCode: 400 })
    expect(await resend.suppressions.list({ origin: "bounce" })).toMatchObject({
      error: { statusCode: 422, name: "invalid_parameter" },
    })
  })
})

describe("templates", () => {
  it("come back as they were given", async () => {
    const { resend } = await setUp()
    const given = {
      name: "Order shipped",
      subject: "Your order {{{ORDER}}}",
      html: "<p>{{{ORDER}}} for {{{NAME}}}</p>",
      text: "{{{ORDER}}}",
      variables: [
        { key: "ORDER", type: "number" as const },
        { key: "NAME", type: "string" as const, fallbackValue: "you" },
      ],
    }
    const { id } = await ok(resend.templates.create(given))
    const read = await ok(resend.templates.get(id))
    const { variables, ...texts } = given
    expect(read).toMatchObject({ ...texts, object: "template", status: "published" })
    expect(read.alias).toMatch(/^order-shipped-[0-9a-f]{6}$/)
    expect(read.variables).toMatchObject([
      { key: "ORDER", type: "number", fallback_value: null },
      { key: "NAME", type: "string", fallback_value: "you" },
    ])
    expect(variables).toHaveLength(2)
    const copy = await ok(resend.templates.duplicate(id))
    expect(await ok(resend.templates.get(copy.id))).toMatchObject(texts)
    await ok(resend.templates.update(read.alias!, { html: "<p>{{{NAME}}}</p>" }))
    const changed = await ok(resend.templates.get(id))
    expect(changed).toMatchObject({ html: "<p>{{{NAME}}}</p>", variables: { length: 2 } })
    expect(changed.current_version_id).not.toBe(read.current_version_id)
    expect((await ok(resend.templates.list())).data).toHaveLength(2)
    expect(
      await ok(resend.templates.create({ ...given, alias: "shipped" }).publish()),
    ).toMatchObject({ object: "template" })
    await ok(resend.templates.remove("shipped"))
    expect(await resend.templates.get("shipped")).toMatchObject({ error: { name: "not_found" } })
  })

  it("have placeholders of the contact, with fallbacks", async () => {
    const { resend, team } = await setUp()
    const html = "<p>{{{contact.first_name}}}</p>"
    const subject = "Hi {{{contact.first_name|there}}}"
    const { id } = await ok(resend.templates.create({ name: "Hi", subject, html }))
    const read = await ok(resend.templates.get(id))
    expect(read).toMatchObject({
      subject: "Hi {{{contact.first_name}}}",
      html,
      variables: [{ key: "contact.first_name", fallback_value: "there" }],
    })
    await ok(resend.templates.update(id, { variables: [{ key: "X", type: "string" }] }))
    const { body } = await team.api.post(`/templates/${id}/render`, {})
    expect(body).toMatchObject({ subject: "Hi there", html: "<p>there</p>" })
  })

  it("have the fallbacks of their texts also after a change", async () => {
    const { resend } = await setUp()
    const html = "<p>Hi {{{NAME|friend}}}</p>"
    const { id } = await ok(resend.templates.create({ name: "Hi", subject: "Hi", html }))
    const fallbacks = async () => {
      const { variables } = await ok(resend.templates.get(id))
      return Object.fromEntries(variables!.map((one) => [one.key, one.fallback_value]))
    }
    await ok(resend.templates.update(id, { html: "<p>{{{NAME}}} of {{{CITY|there}}}</p>" }))
    expect(await fallbacks()).toEqual({ NAME: "friend", CITY: "there" })
    await ok(resend.templates.update(id, { variables: [{ key: "X", type: "string" }] }))
    expect(await fallbacks()).toEqual({ NAME: "friend", CITY: "there", X: null })
    await ok(resend.templates.update(id, { html: "<p>{{{NAME|pal}}}</p>", variables: [] }))
    expect(await fallbacks()).toEqual({ NAME: "pal" })
  })

  it.each([
    ["a sender", { from: "a@example.com" }, "`from`"],
    ["a reply address", { replyTo: "a@example.com" }, "`reply_to`"],
    ["another alias", { alias: "other" }, "`alias`"],
  ])("refuse %s that they cannot hold", async (_what, changes, member) => {
    const { resend, given } = await setUp()
    const { id } = await made.template(given)
    const { error } = await resend.templates.update(id, changes)
    expect(error).toMatchObject({ statusCode: 422, name: "invalid_parameter" })
    expect(error?.message).toContain(member)
  })

  it("need a subject here", async () => {
    const { resend } = await setUp()
    const { error } = await resend.templates.create({ name: "Welcome", html: "<p>Hi</p>" })
    expect(error).toMatchObject({ statusCode: 422, name: "missing_required_field" })
    expect(error?.message).toContain("`subject`")
  })
})

describe("webhooks", () => {
  it("subscribe to our events by Resend's types, in Resend's format", async () => {
    const { team, resend } = await setUp()
    const { id, signing_secret } = await ok(
      resend.webhooks.create({
        endpoint: "https://hooks.example.com/resend",
        events: ["email.delivery_delayed", "contact.updated", "domain.updated"],
      }),
    )
    expect(signing_secret).toMatch(/^whsec_/)
    expect((await team.api.get(`/webhooks/${id}`)).body).toMatchObject({
      format: "resend",
      events: [
        "email.delayed",
        "contact.updated",
        "contact.unsubscribed",
        "contact.resubscribed",
        "contact.pending",
        "contact.confirmed",
        "domain.verified",
        "domain.failed",
      ],
    })
    const expected = {
      id,
      endpoint: "https://hooks.example.com/resend",
      status: "enabled",
      events: ["email.delivery_delayed", "contact.updated", "domain.updated"],
      created_at: expect.any(String),
    }
    expect((await ok(resend.webhooks.list())).data).toEqual([expected])
    await ok(resend.webhooks.update(id, { status: "disabled", events: ["email.sent"] }))
    expect(await ok(resend.webhooks.get(id))).toEqual({
      ...expected,
      object: "webhook",
      status: "disabled",
      events: ["email.sent"],
      signing_secret: null,
    })
  })

  it("refuse events that there are not, and addresses that are private", async () => {
    const { resend } = await setUp()
    const endpoint = "https://hooks.example.com/resend"
    const unknown = await resend.webhooks.create({ endpoint, events: ["email.scheduled"] })
    expect(unknown.error).toMatchObject({ statusCode: 422, name: "invalid_parameter" })
    expect(unknown.error?.message).toContain("email.scheduled")
    const hidden = await resend.webhooks.create({
      endpoint: "https://localhost/hook",
      events: ["email.sent"],
    })
    expect(hidden.error?.message).toContain("`endpoint`")
  })
})

describe("domains", () => {
  it("show their records as Resend does", async () => {
    const { team, resend } = await setUp()
    const { id } = await ok(resend.domains.create({ name: "mail.example.com" }))
    await env.DB.prepare("update domains set records = ?, region = 'eu-west-1' where id = ?")
      .bind(
        JSON.stringify([
          {
            kind: "DKIM",
            type: "CNAME",
            name: "a._domainkey.x",
            value: "y",
            priority: null,
            ok: true,
          },
          {
            kind: "MAIL_FROM_MX",
            type: "MX",
            name: "bounce.x",
            value: "z",
            priority: 10,
            ok: false,
          },
        ]),
        id,
      )
      .run()
    const domain = await ok(resend.domains.get(id))
    expect(domain).toEqual({
      object: "domain",
      id,
      name: "mail.example.com",
      status: "pending",
      region: "eu-west-1",
      created_at: expect.any(String),
      capabilities: { sending: "enabled", receiving: "disabled" },
      records: [
        {
          record: "DKIM",
          type: "CNAME",
          name: "a._domainkey.x",
          value: "y",
          ttl: "Auto",
          status: "verified",
        },
        {
          record: "SPF",
          type: "MX",
          name: "bounce.x",
          value: "z",
          ttl: "Auto",
          status: "pending",
          priority: 10,
        },
      ],
    })
    expect((await ok(resend.domains.list())).data).toHaveLength(2)
    expect((await team.api.get(`/domains/${id}`)).body.name).toBe("mail.example.com")
  })

  it.each([
    ["custom_return_path", { customReturnPath: "outbound" }],
    ["tls", { tls: "enforced" as const }],
    ["open_tracking", { openTracking: true }],
    ["tracking_subdomain", { trackingSubdomain: "links" }],
    ["capabilities.receiving", { capabilities: { receiving: "enabled" as const } }],
  ])("refuse %s", async (member, options) => {
    const { resend } = await setUp()
    const { error } = await resend.domains.create({ name: "mail.example.com", ...options })
    expect(error).toMatchObject({ statusCode: 422, name: "invalid_parameter" })
    expect(error?.message).toContain(`\`${member}\``)
  })

  it("take the options that say what happens anyway", async () => {
    const { resend } = await setUp()
    await ok(
      resend.domains.create({
        name: "mail.example.com",
        region: "eu-west-1",
        customReturnPath: "bounce",
        tls: "opportunistic",
        openTracking: false,
        capabilities: { sending: "enabled" },
      }),
    )
  })
})

describe("the audit log", () => {
  it("notes changes as those of our own API", async () => {
    const { team, resend, given } = await setUp()
    const { id } = await ok(resend.segments.create({ name: "Readers" }))
    await made.webhook(given)
    await ok(resend.segments.remove(id))
    const { results } = await env.DB.prepare(
      "select action, label from audit_log where team_id = ? order by id",
    )
      .bind(team.id)
      .all()
    expect(results).toEqual([
      { action: "contactBooks.create", label: "Readers" },
      { action: "webhooks.create", label: "hooks.example.com" },
      { action: "contactBooks.remove", label: "Readers" },
    ])
  })
})

describe("API keys", () => {
  it("have Resend's permissions, and send what their token may", async () => {
    const { team, resend } = await setUp()
    const { token, id } = await ok(
      resend.apiKeys.create({ name: "CI", permission: "sending_access", domain_id: team.domainId }),
    )
    const sender = createResend(token)
    const message = { from: `a@${team.domain}`, to: "b@example.com", subject: "Hi", text: "Hi" }
    await ok(sender.emails.send(message))
    expect(await sender.emails.list()).toMatchObject({ error: { name: "restricted_api_key" } })
    const listed = (await ok(resend.apiKeys.list())).data.find((key) => key.id === id)
    expect(listed).toEqual({
      id,
      name: "CI",
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    })
    await ok(resend.apiKeys.remove(id))
    expect(await sender.emails.send(message)).toMatchObject({
      error: { statusCode: 403, name: "invalid_api_key" },
    })
  })
})
