import { describe, expect, it } from "vitest"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const content = {
  name: "Receipt",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
  bodyText: null,
  variablesSchema: { variables: [{ name: "name", default: "there" }] },
}

async function open(slug = "receipt") {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const create = (slug: string) => person.post("/template-drafts", { slug, ...content })
  const { status, body: draft } = await create(slug)
  expect(status).toBe(201)
  const path = `/templates/${draft.id}`
  return {
    ...{ team, api: team.api, person, draft, path, create },
    read: () => person.get(`${path}/draft`),
    save: (changes: object, revision = draft.revision) =>
      person.post(`${path}/draft`, { ...content, ...changes, version: 0, revision }),
    publish: (revision = draft.revision) =>
      person.post(`${path}/publish`, { version: 0, revision }),
    send: () =>
      team.api.post("/emails", { from: `a@${team.domain}`, to: "b@example.com", template: slug }),
  }
}

describe("a template that was never published", () => {
  it("is a draft of version 0, which the dashboard finds by its id", async () => {
    const { draft, read, person } = await open()
    const saved = { ...content, slug: "receipt", version: 0, updatedBy: "Somebody" }
    expect(draft).toMatchObject(saved)
    expect((await read()).body).toEqual({ ...draft, versions: [] })
    expect((await person.get("/templates/receipt/draft")).status).toBe(404)
  })

  it("does not exist for calls with a key", async () => {
    const { api, path, send, person, draft, read } = await open()
    expect((await api.get("/templates")).body.data).toEqual([])
    for (const one of [path, "/templates/receipt"]) {
      expect((await api.get(one)).status).toBe(404)
      expect((await api.patch(one, { name: "Other" })).status).toBe(404)
      expect((await api.post(`${one}/render`, {})).status).toBe(404)
      expect((await api.delete(one)).status).toBe(404)
    }
    expect((await send()).status).toBe(400)
    expect((await person.delete(path)).status).toBe(403)
    expect((await read()).body).toMatchObject(draft)
  })

  it("is listed with what names it, for the team alone", async () => {
    const { person, draft } = await open()
    const { slug, name, subject, id, updatedAt } = draft
    const listed = { id, unpublished: { slug, name, subject }, updatedAt, updatedBy: "Somebody" }
    expect((await person.get("/template-drafts")).body.data).toEqual([listed])
    const other = await open()
    expect((await other.person.get(`/templates/${id}/draft`)).status).toBe(404)
    expect((await other.person.delete(`/templates/${id}/draft?revision=a`)).status).toBe(404)
  })

  it("is published as version 1, and is then found, rendered and sent", async () => {
    const { publish, api, draft, send, read, person } = await open()
    const { status, body } = await publish()
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...content, id: draft.id, slug: "receipt", version: 1 })
    const { versions, ...template } = (await api.get("/templates/receipt")).body
    expect(template).toEqual(body)
    expect(versions).toMatchObject([{ version: 1, snapshot: content, publishedBy: "Somebody" }])
    const { id } = (await send()).body
    expect((await api.get(`/emails/${id}`)).body.subject).toBe("Hello there")
    expect((await read()).body).toMatchObject({ version: 1, revision: null })
    expect((await person.get("/template-drafts")).body.data).toEqual([])
  })

  it("is changed, with its slug, until it is published", async () => {
    const { save, publish, api, read } = await open()
    const saved = (await save({ subject: "Changed", slug: "other" })).body
    expect(saved).toMatchObject({ subject: "Changed", slug: "other", version: 0 })
    expect((await save({ subject: "Late" })).status).toBe(409)
    await publish(saved.revision)
    expect((await api.get("/templates/other")).body).toMatchObject({ subject: "Changed" })
    expect((await save({ subject: "Late" }, saved.revision)).body.error.message).toBe(
      "Version 1 was published since.",
    )
    expect((await read()).body.subject).toBe("Changed")
  })

  it("is published once, however many ask", async () => {
    const { publish, api } = await open()
    const replies = await Promise.all([publish(), publish()])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await api.get("/templates/receipt")).body.versions).toHaveLength(1)
  })

  it("is not published at another revision or version", async () => {
    const { person, path, draft, publish, api } = await open()
    expect((await publish("another")).status).toBe(409)
    const { revision } = draft
    expect((await person.post(`${path}/publish`, { version: 1, revision })).status).toBe(409)
    expect((await api.get(path)).status).toBe(404)
  })

  it("is deleted by discarding its draft", async () => {
    const { person, path, draft, read } = await open()
    expect((await person.delete(`${path}/draft?revision=another`)).status).toBe(409)
    expect((await person.delete(`${path}/draft?revision=${draft.revision}`)).status).toBe(204)
    expect((await read()).status).toBe(404)
  })

  it("has a slug of its own among published templates and drafts", async () => {
    const { create, api, save } = await open()
    await api.post("/templates", { slug: "taken", ...content })
    const refused = { status: 400, body: { error: { details: [{ path: ["slug"] }] } } }
    for (const slug of ["receipt", "taken"]) expect(await create(slug)).toMatchObject(refused)
    await create("second")
    for (const slug of ["second", "taken"]) expect(await save({ slug })).toMatchObject(refused)
    expect((await save({ slug: "receipt" })).status).toBe(200)
  })

  it("waits for another slug if a program has published one of that name", async () => {
    const { api, publish, save, read } = await open()
    expect((await api.post("/templates", { slug: "receipt", ...content })).status).toBe(201)
    const { status, body } = await publish()
    expect([status, body.error.message]).toEqual([400, "The slug 'receipt' is taken."])
    expect((await read()).body).toMatchObject(content)
    const { revision } = (await save({ slug: "receipt-2" })).body
    expect((await publish(revision)).body).toMatchObject({ slug: "receipt-2", version: 1 })
  })

  it("is in the audit log by its name: who created, published and discarded it", async () => {
    const { team, create, person, save, publish, draft } = await open()
    const { revision } = (await save({ subject: "Changed" })).body
    await publish(revision)
    const second = (await create("second")).body
    await person.delete(`/templates/${second.id}/draft?revision=${second.revision}`)
    const owner = await makePerson(team.id, "owner")
    const { data } = (await owner.get("/audit-log")).body
    const entries = data.filter(({ action }: { action: string }) => action.startsWith("templates."))
    const of = (verb: string, { id }: { id: string }) => ({
      action: `templates.${verb}`,
      object: { type: "templates", id, label: "Receipt" },
      actor: { name: "Somebody" },
    })
    expect(entries).toMatchObject([
      of("discardDraft", second),
      of("createDraft", second),
      of("publish", draft),
      of("createDraft", draft),
    ])
  })
})
