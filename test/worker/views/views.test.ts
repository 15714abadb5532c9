import { beforeEach, describe, expect, it } from "vitest"
import { eraseTexts } from "../../../src/worker/erasure/texts.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { makePerson, type Person } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const BOUNCED = { status: "bounced", tag: ["plan:pro", "kind"], to: "@example.com", since: "7d" }

let team: Team
let admin: Person
let member: Person
beforeEach(async () => {
  team = await makeTeam()
  admin = await makePerson(team.id, "admin")
  member = await makePerson(team.id, "member")
})

const save = (person: Person, name: string, query: object = BOUNCED) =>
  person.post("/views", { name, query })

it("keeps a view as it was given, relative times among them", async () => {
  const { status, body } = await save(member, " Bounces ")
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^view_[0-9A-HJKMNP-TV-Z]{26}$/),
    name: "Bounces",
    query: BOUNCED,
    createdBy: member.id,
    createdAt: expect.any(String),
    updatedAt: body.createdAt,
  })
  const query = { subject: "late invoice", until: "2026-11-01T00:00Z" }
  const changed = await member.patch(`/views/${body.id}`, { name: "Invoices", query })
  expect(changed.body).toMatchObject({ name: "Invoices", query })
  expect((await admin.get("/views")).body).toEqual({ data: [changed.body], nextCursor: null })
})

it("refuses filters that the list of emails refuses, and misspelt ones", async () => {
  const wrong: [object, string[]][] = [
    [{ status: "lost" }, ["query", "status"]],
    [{ status: ["bounced", "lost"] }, ["query", "status"]],
    [{ to: "ab" }, ["query", "to"]],
    [{ subject: "!?" }, ["query", "subject"]],
    [{ opened: "maybe" }, ["query", "opened"]],
    [{ since: "7w" }, ["query", "since"]],
    [{ until: "2026-11-01T00:00" }, ["query", "until"]],
    [{ statsu: "bounced" }, ["query", "statsu"]],
    [{}, ["query"]],
  ]
  for (const [query, path] of wrong) {
    const { status, body } = await save(member, "Wrong", query)
    expect([query, status, body.error.details?.[0]?.path]).toEqual([query, 400, path])
  }
})

it("refuses a name that another view has in another case, also of calls that race", async () => {
  const replies = await Promise.all(["Übersicht", "ÜBERSICHT"].map((name) => save(member, name)))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
  const { body } = await save(member, "Other")
  const renamed = await member.patch(`/views/${body.id}`, { name: "übersicht" })
  expect([renamed.status, renamed.body.error.code]).toEqual([409, "conflict"])
  expect((await member.patch(`/views/${body.id}`, { name: "OTHER" })).body.name).toBe("OTHER")
  const elsewhere = await makePerson((await makeTeam()).id, "member")
  expect((await save(elsewhere, "Other")).status).toBe(201)
})

it("refuses the 51st view, also of calls that race", async () => {
  const replies = await Promise.all(Array.from({ length: 52 }, (_, i) => save(member, `View ${i}`)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(50)
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(2)
})

describe("a member", () => {
  it("changes and deletes own views", async () => {
    const { body } = await save(member, "Mine")
    expect((await member.patch(`/views/${body.id}`, { name: "Still mine" })).status).toBe(200)
    expect((await member.delete(`/views/${body.id}`)).status).toBe(204)
    expect((await member.delete(`/views/${body.id}`)).status).toBe(404)
  })

  it("may not touch the views of others, as an admin may", async () => {
    const { body } = await save(admin, "Of an admin")
    const other = await makePerson(team.id, "member")
    const { body: ofOther } = await save(other, "Of another")
    for (const id of [body.id, ofOther.id]) {
      expect((await member.patch(`/views/${id}`, { name: "Taken over" })).status).toBe(403)
      expect((await member.delete(`/views/${id}`)).status).toBe(403)
    }
    expect((await admin.patch(`/views/${ofOther.id}`, { name: "Shared" })).status).toBe(200)
    expect((await admin.delete(`/views/${ofOther.id}`)).status).toBe(204)
  })
})

it("erases the views that name an address", async () => {
  await save(member, "About ada@example.com", { status: "bounced" })
  await save(member, "Her mail", { to: "ADA@example.com" })
  await save(member, "Others", { to: "nada@example.com" })
  expect((await admin.post("/erasures", { email: "ada@example.com" })).status).toBe(200)
  const { body } = await member.get("/views")
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["Others"])
})

it("spares a view that no longer names the address when it is erased", async () => {
  const { body: view } = await save(member, "Hers", { to: "ada@example.com" })
  await save(member, "Ada@example.com again")
  const rename = () => member.patch(`/views/${view.id}`, { query: { to: "team@example.com" } })
  const DB = interruptedDb(/delete from "saved_views"/, rename)
  await eraseTexts(testWork({ settings: { DB } }).work, team.id, "ada@example.com")
  const { body } = await member.get("/views")
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["Hers"])
})

it("erases a view that has the address with its domain in Unicode", async () => {
  const { body: view } = await save(member, "Zoe", { to: "Zoe@BÜCHER.example" })
  const erased = await admin.post("/erasures", { email: "zoe@xn--bcher-kva.example" })
  expect(erased.status).toBe(200)
  const { body } = await member.get("/views")
  expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(view.id)
})

it("notes who saved, renamed and deleted a view", async () => {
  const { body } = await save(member, "Noted")
  await member.patch(`/views/${body.id}`, { name: "Renamed" })
  await admin.delete(`/views/${body.id}`)
  const { body: log } = await admin.get(`/audit-log?objectId=${body.id}`)
  expect(
    log.data.map(({ action, object }: { action: string; object: { label: string } }) => [
      action,
      object.label,
    ]),
  ).toEqual([
    ["views.delete", "Renamed"],
    ["views.update", "Noted"],
    ["views.create", "Noted"],
  ])
})
