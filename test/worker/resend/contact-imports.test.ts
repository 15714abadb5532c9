import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { makeTeam } from "../../support/team.ts"
import { ok } from "./calls.ts"
import { createResend, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

async function setUp() {
  const team = await makeTeam()
  const resend = createResend(team.api.key)
  const { imports } = resend.contacts
  const bring = async (
    rows: string[],
    options: Omit<Parameters<typeof imports.create>[0], "file"> = {},
  ) => {
    const { id } = await ok(imports.create({ file: new Blob([rows.join("\n")]), ...options }))
    return ok(imports.get(id))
  }
  const read = (email: string) => ok(resend.contacts.get({ email }))
  return { team, resend, bring, read }
}

describe("an import of contacts", () => {
  it("is done when it is answered, and tells its counts", async () => {
    const { resend, bring } = await setUp()
    await bring(["email", "old@example.com"])
    const rows = ["email", "old@example.com", "new@example.com", "new@example.com", "nobody"]
    const first = await bring(rows)
    expect(first).toMatchObject({
      ...{ object: "contact_import", status: "completed" },
      counts: { total: 4, created: 1, updated: 0, skipped: 2, failed: 1 },
    })
    const second = await bring(rows, { onConflict: "upsert" })
    expect(second.counts).toEqual({ total: 4, created: 0, updated: 2, skipped: 1, failed: 1 })
    const { data } = await ok(resend.contacts.imports.list({ limit: 2 }))
    expect(data).toEqual([second, first])
    expect(await ok(resend.contacts.imports.list({ status: "failed" }))).toMatchObject({ data: [] })
  })

  it("takes the columns that the map names, and no others as properties", async () => {
    const { bring, read } = await setUp()
    await bring(
      [
        "Mail,Given,Firm,Seats,Trial,Note",
        "ada@example.com,Ada,Acme,12,yes,secret",
        "bad@example.com,Bob,Acme,many,yes,",
      ],
      {
        columnMap: {
          ...{ email: "Mail", firstName: "Given" },
          properties: {
            company: { column: "Firm" },
            seats: { column: "Seats", type: "number" },
            trial: { column: "Trial", type: "boolean" },
          },
        },
      },
    )
    expect(await read("ada@example.com")).toMatchObject({
      first_name: "Ada",
      properties: {
        company: { type: "string", value: "Acme" },
        seats: { type: "number", value: 12 },
        trial: { type: "string", value: "true" },
      },
    })
    expect((await read("ada@example.com")).properties).not.toHaveProperty("Note")
  })

  it("subscribes nobody who said no, in the file, in a column of its own, or in a segment", async () => {
    const { resend, bring, read } = await setUp()
    const { id } = await ok(resend.segments.create({ name: "News" }))
    const { id: other } = await ok(resend.segments.create({ name: "Other" }))
    await ok(resend.contacts.create({ email: "left@example.com", unsubscribed: true }))
    await bring(["mail,out,status", "no@example.com,true,", "gone@example.com,,cancelled"], {
      columnMap: { email: "mail", unsubscribed: "out" },
      segments: [{ id }],
    })
    await bring(["email", "left@example.com", "yes@example.com"], {
      onConflict: "upsert",
      segments: [{ id }, { id: other }],
    })
    const listed = async (segmentId: string) =>
      Object.fromEntries(
        (await ok(resend.contacts.list({ segmentId }))).data.map((one) => [
          one.email.split("@")[0],
          one.unsubscribed,
        ]),
      )
    expect(await listed(id)).toEqual({ no: true, gone: true, left: true, yes: false })
    expect(await listed(other)).toEqual({ left: true, yes: false })
    expect(await read("gone@example.com")).toMatchObject({ unsubscribed: true })
  })

  it("chooses topics for everybody, but not against a no", async () => {
    const { resend, bring } = await setUp()
    const topic = await ok(resend.topics.create({ name: "Offers", defaultSubscription: "opt_out" }))
    const no = {
      email: "no@example.com",
      topics: [{ id: topic.id, subscription: "opt_out" as const }],
    }
    await ok(resend.contacts.create(no))
    await bring(["email", "no@example.com", "ada@example.com"], {
      onConflict: "upsert",
      topics: [{ id: topic.id, subscription: "opt_in" }],
    })
    const choice = async (email: string) =>
      (await ok(resend.contacts.topics.list({ email }))).data[0]?.subscription
    expect([await choice("no@example.com"), await choice("ada@example.com")]).toEqual([
      "opt_out",
      "opt_in",
    ])
  })

  it.each([
    ["without a file", { file: undefined as unknown as Blob }],
    ["of a file without addresses", { file: new Blob(["name\nAda"]) }],
    ["with a column that is not there", { columnMap: { email: "mail" } }],
    ["into an unknown segment", { segments: [{ id: "cb_00000000000000000000000000" }] }],
  ])("%s stores nothing", async (_, options) => {
    const { resend } = await setUp()
    const file = new Blob(["email\nada@example.com"])
    const { error } = await resend.contacts.imports.create({ file, ...options })
    expect(error?.statusCode).toBeOneOf([400, 404, 422])
    expect(await ok(resend.contacts.list())).toMatchObject({ data: [] })
    expect(await ok(resend.contacts.imports.list())).toMatchObject({ data: [] })
  })
})

describe("a declared property", () => {
  it("is read, changed and removed", async () => {
    const { contactProperties } = (await setUp()).resend
    const { id } = await ok(
      contactProperties.create({ key: "seats", type: "number", fallbackValue: 1 }),
    )
    const read = () => ok(contactProperties.get(id))
    expect(await read()).toMatchObject({ key: "seats", type: "number", fallbackValue: 1 })
    await ok(contactProperties.update({ id, fallbackValue: null }))
    expect(await read()).toMatchObject({ fallbackValue: null })
    expect((await ok(contactProperties.list())).data).toEqual([
      { id, key: "seats", type: "number", fallbackValue: null, createdAt: expect.any(String) },
    ])
    await ok(contactProperties.remove(id))
    expect(await contactProperties.get(id)).toMatchObject({ error: { statusCode: 404 } })
  })

  it("is refused twice, with another kind of fallback, or with a name that no text can hold", async () => {
    const { contactProperties } = (await setUp()).resend
    const create = (key: string, fallbackValue: string | number | null = null) =>
      contactProperties.create({ key, type: "string", fallbackValue } as Parameters<
        typeof contactProperties.create
      >[0])
    await ok(create("city"))
    expect(await create("city")).toMatchObject({ error: { statusCode: 409 } })
    for (const refused of [create("seats", 5), create("home town"), create("")]) {
      expect(await refused).toMatchObject({ error: { statusCode: 400 } })
    }
  })

  it("fills a broadcast for contacts without a value, unless the text has its own", async () => {
    const { team, resend } = await setUp()
    await ok(
      resend.contactProperties.create({ key: "city", type: "string", fallbackValue: "Bonn" }),
    )
    await ok(resend.contactProperties.create({ key: "age", type: "number", fallbackValue: 7 }))
    const segment = await ok(resend.segments.create({ name: "News" }))
    await ok(resend.contacts.create({ email: "ada@example.com", segments: [segment] }))
    await ok(
      resend.broadcasts.create({
        segmentId: segment.id,
        from: `News <news@${team.domain}>`,
        send: true,
        subject: "{{{contact.city}}}, {{{contact.age}}}",
        html: "<p>{{{contact.city|here}}}</p>",
      }),
    )
    const message = await eventually(async () => {
      const { body } = await team.api.get("/sandbox/messages")
      expect(body.data).toHaveLength(1)
      return body.data[0]
    })
    expect(message.subject).toBe("here, 7")
  })
})
