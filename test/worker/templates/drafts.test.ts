import { describe, expect, it } from "vitest"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const content = {
  name: "Welcome",
  subject: "Hello {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
  bodyText: null,
  variablesSchema: { variables: [{ name: "name", default: "there" }] },
}

async function open() {
  const team = await makeTeam()
  const person = await makePerson(team.id, "member")
  const { id } = (await team.api.post("/templates", { slug: "welcome", ...content })).body
  const path = `/templates/${id}`
  return {
    team,
    api: team.api,
    person,
    path,
    read: async () => (await person.get(`${path}/draft`)).body,
    save: (changes: object, seen: object = { version: 1, revision: null }) =>
      person.post(`${path}/draft`, { ...content, ...changes, ...seen }),
    publish: (seen: object) => person.post(`${path}/publish`, seen),
  }
}

describe("the draft of a template", () => {
  it("begins as what is published", async () => {
    const { read, api, path } = await open()
    const { updatedAt } = (await api.get(path)).body
    const { versions, ...draft } = await read()
    expect(draft).toEqual({
      ...{ ...content, id: path.split("/").at(-1), slug: "welcome" },
      ...{ version: 1, revision: null, updatedBy: null, updatedAt, design: null },
    })
    const ofHtml = { ...content, design: null }
    expect(versions).toMatchObject([{ version: 1, snapshot: ofHtml, publishedBy: "Test" }])
  })

  it("is not live: keys read, render and send what is published", async () => {
    const { save, read, api, path, team } = await open()
    const saved = await save({ subject: "Draft", bodyHtml: "<p>Draft</p>" })
    expect(saved.status).toBe(200)
    expect(await read()).toMatchObject(saved.body)
    expect(saved.body).toMatchObject({ subject: "Draft", version: 1, updatedBy: "Somebody" })
    expect((await api.get(path)).body).toMatchObject({ ...content, version: 1 })
    expect((await api.post(`${path}/render`, {})).body.subject).toBe("Hello there")
    const message = { from: `a@${team.domain}`, to: "b@example.com", template: "welcome" }
    const sent = await api.post("/emails", message)
    expect((await api.get(`/emails/${sent.body.id}`)).body.subject).toBe("Hello there")
  })

  it("is in the audit log once, however often it saves itself", async () => {
    const { save, team } = await open()
    let revision = null
    for (const subject of ["One", "Two", "Three"]) {
      revision = (await save({ subject }, { version: 1, revision })).body.revision
    }
    const owner = await makePerson(team.id, "owner")
    const { data } = (await owner.get("/audit-log?q=saveDraft")).body
    expect(data).toHaveLength(1)
  })

  it("is listed by its template until it is published, for the team alone", async () => {
    const { save, publish, person, path } = await open()
    const list = async (who = person) => (await who.get("/template-drafts")).body.data
    expect(await list()).toEqual([])
    const { revision, updatedAt } = (await save({ subject: "Draft" })).body
    const [, , id] = path.split("/")
    expect(await list()).toEqual([{ id, unpublished: null, updatedAt, updatedBy: "Somebody" }])
    const other = await open()
    await other.save({ subject: "Other" })
    expect(await list()).toHaveLength(1)
    await publish({ version: 1, revision })
    expect(await list()).toEqual([])
  })

  it("is published as the next version, which says by whom", async () => {
    const { save, publish, read, api, path } = await open()
    const changes = {
      name: "Hi",
      subject: "Hi",
      bodyHtml: "<p>Hi</p>",
      bodyText: "Hi",
      variablesSchema: { variables: [] },
    }
    const { revision } = (await save(changes)).body
    const published = await publish({ version: 1, revision })
    expect(published).toMatchObject({ status: 200, body: { ...changes, version: 2 } })
    expect(await read()).toMatchObject({ ...changes, version: 2, revision: null })
    const { versions } = (await api.get(path)).body
    expect(versions).toMatchObject([
      { version: 2, snapshot: changes, publishedBy: "Somebody" },
      { version: 1, snapshot: content, publishedBy: "Test" },
    ])
    expect(versions[0].snapshot).toEqual(changes)
  })

  it("is discarded, and is then what is published again", async () => {
    const { person, path, save, read } = await open()
    const { revision } = (await save({ subject: "Draft" })).body
    expect((await person.delete(`${path}/draft?revision=${revision}`)).status).toBe(204)
    expect(await read()).toMatchObject({ subject: content.subject, revision: null })
  })

  it("goes with its template", async () => {
    const { api, path, save, person } = await open()
    await save({ subject: "Draft" })
    await api.delete(path)
    expect((await person.get(`${path}/draft`)).status).toBe(404)
  })

  it("is refused with the path of what is wrong", async () => {
    const { save } = await open()
    const { status, body } = await save({ subject: "" })
    expect([status, body.error.details[0].path]).toEqual([400, ["subject"]])
  })

  it("stays when a key publishes, which needs no draft", async () => {
    const { api, path, save, read } = await open()
    const { revision } = (await save({ subject: "Draft" })).body
    const { version } = (await api.patch(path, { subject: "From a program" })).body
    expect(version).toBe(2)
    expect(await read()).toMatchObject({ subject: "Draft", version: 2, revision })
    expect((await api.get(path)).body.versions[0].publishedBy).toBe("Test")
  })
})

describe("two people at one draft", () => {
  const conflict = (message: string, details: object) => ({
    status: 409,
    body: { error: { code: "conflict", message, details } },
  })

  it("the second save is refused, and overwrites nothing", async () => {
    const { save, read } = await open()
    const { revision } = (await save({ subject: "First" })).body
    const refusal = conflict("Somebody saved the draft since.", {
      version: 1,
      revision,
      updatedBy: "Somebody",
    })
    expect(await save({ subject: "Second" })).toMatchObject(refusal)
    expect(await read()).toMatchObject({ subject: "First", revision })
    expect((await save({ subject: "Second" }, { version: 1, revision })).status).toBe(200)
  })

  it("one of two saves at the same moment wins", async () => {
    const { save, read } = await open()
    const replies = await Promise.all([save({ subject: "One" }), save({ subject: "Two" })])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = replies.find(({ status }) => status === 200)
    expect((await read()).revision).toBe(won?.body.revision)
  })

  it("a save on top of an older version is refused, also when nobody has a draft", async () => {
    const { api, path, save, read } = await open()
    await api.patch(path, { subject: "From a program" })
    const details = { version: 2, revision: null, updatedBy: null }
    expect(await save({ subject: "Mine" })).toMatchObject(
      conflict("Version 2 was published since.", details),
    )
    expect((await read()).subject).toBe("From a program")
  })

  it("a draft that was changed since is neither published nor discarded", async () => {
    const { person, path, save, publish, read, api } = await open()
    const first = (await save({ subject: "First" })).body.revision
    const { revision } = (await save({ subject: "Second" }, { version: 1, revision: first })).body
    expect((await publish({ version: 1, revision: first })).status).toBe(409)
    expect((await person.delete(`${path}/draft?revision=${first}`)).status).toBe(409)
    expect(await read()).toMatchObject({ subject: "Second", revision })
    expect((await api.get(path)).body.version).toBe(1)
  })

  it("a draft is not published over a version that its author has not seen", async () => {
    const { api, path, save, publish, read } = await open()
    const { revision } = (await save({ subject: "Draft" })).body
    await api.patch(path, { subject: "From a program" })
    expect(await publish({ version: 1, revision })).toMatchObject(
      conflict("Version 2 was published since.", { version: 2, revision, updatedBy: "Somebody" }),
    )
    expect(await read()).toMatchObject({ subject: "Draft", revision })
    expect((await publish({ version: 2, revision })).body).toMatchObject({
      subject: "Draft",
      version: 3,
    })
  })

  it("a draft is published once", async () => {
    const { save, publish, api, path } = await open()
    const { revision } = (await save({ subject: "Draft" })).body
    const seen = { version: 1, revision }
    const replies = await Promise.all([publish(seen), publish(seen)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await api.get(path)).body.versions).toHaveLength(2)
  })
})
