import { beforeEach, expect, it } from "vitest"
import { endpoints } from "../../../../src/worker/contract.ts"
import { eraseTexts } from "../../../../src/worker/erasure/texts.ts"
import { erasedForm } from "../../../../src/worker/suppressions/erased.ts"
import { OBJECTS } from "../../../../src/worker/teams/audit/objects.ts"
import { directory, PERSON_ROUND_TRIPS } from "../../../support/installation.ts"
import { metered } from "../../../support/meter.ts"
import { makePerson, type Person } from "../../../support/session.ts"
import { makeTeam, type Team } from "../../../support/team.ts"
import { testWork } from "../../../support/work.ts"

let team: Team
let owner: Person
beforeEach(async () => {
  team = await makeTeam()
  owner = await makePerson(team.id, "owner")
})

const newest = async () => {
  const { body } = await owner.get("/audit-log?limit=1")
  return body.data[0]
}

it("has the changed fields with their values before and after", async () => {
  const { body: topic } = await team.api.post("/topics", { name: "News", description: "Monthly" })
  expect((await newest()).changes).toEqual([
    { field: "name", before: null, after: "News" },
    { field: "description", before: null, after: "Monthly" },
    { field: "default", before: null, after: "subscribed" },
  ])
  await team.api.patch(`/topics/${topic.id}`, { description: null, default: "subscribed" })
  expect((await newest()).changes).toEqual([
    { field: "description", before: "Monthly", after: null },
  ])
  await team.api.delete(`/topics/${topic.id}`)
  expect((await newest()).changes).toEqual([
    { field: "name", before: "News", after: null },
    { field: "default", before: "subscribed", after: null },
  ])
})

it("has no object that a sending-only key may change, since its calls are not audited", () => {
  const sending = endpoints.filter(({ access, method }) => access === "any" && method !== "GET")
  expect(sending.length).toBeGreaterThan(3)
  expect(sending.filter(({ name }) => OBJECTS[name.split(".")[0]!])).toEqual([])
})

it("has the settings of the team, as people read them", async () => {
  await owner.patch("/team", { trackOpens: true, postalAddress: "1 Main Street" })
  const entry = await newest()
  expect(entry).toMatchObject({ action: "team.update", object: { type: "team" } })
  expect(entry.changes).toEqual([
    { field: "postalAddress", before: null, after: "1 Main Street" },
    { field: "trackOpens", before: "no", after: "yes" },
  ])
})

it("has whether the team requires a second factor", async () => {
  await directory
    .prepare("update sessions set second_factor = 'code' where user_id = ?")
    .bind(owner.id)
    .run()
  await owner.patch("/team", { requireSecondFactor: true })
  expect((await newest()).changes).toEqual([
    { field: "requireSecondFactor", before: "no", after: "yes" },
  ])
})

it("reads the fields within the round trips of the change, and writes no further row", async () => {
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  const rename = (name: string) => owner.patch(`/topics/${topic.id}`, { name })
  await rename("First")
  const cost = await metered(() => rename("Second"))
  expect(cost).toMatchObject({ roundTrips: 2 + PERSON_ROUND_TRIPS, rowsWritten: 2 })
})

it("has no secret and no content", async () => {
  const url = "https://hooks.example.com/path-secret?token=query-secret"
  const { body: hook } = await team.api.post("/webhooks", { url, events: ["email.sent"] })
  await team.api.patch(`/webhooks/${hook.id}`, { url: `${url}2`, events: ["email.bounced"] })
  expect((await newest()).changes).toEqual([
    { field: "url", before: null, after: null },
    { field: "events", before: '["email.sent"]', after: '["email.bounced"]' },
  ])
  await team.api.delete(`/webhooks/${hook.id}`)
  const input = { slug: "hi", name: "Hi", subject: "Hi", bodyHtml: "<p>body-secret</p>" }
  await team.api.post("/templates", input)
  await team.api.patch("/templates/hi", { bodyHtml: "<p>body-secret 2</p>" })
  expect((await newest()).changes).toEqual([{ field: "version", before: "1", after: "2" }])
  const { body: key } = await team.api.post("/api-keys", { name: "CI" })
  await team.api.delete(`/api-keys/${key.id}`)
  const { body: log } = await owner.get("/audit-log?limit=100")
  for (const secret of [hook.secret, key.secret, "path-secret", "query-secret", "body-secret"]) {
    expect(JSON.stringify(log)).not.toContain(secret)
  }
})

it("cuts long values, and still tells that they differ at the end", async () => {
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  const long = "x".repeat(300)
  await team.api.patch(`/topics/${topic.id}`, { description: `${long}a` })
  await team.api.patch(`/topics/${topic.id}`, { description: `${long}b` })
  const cut = `${"x".repeat(200)}…`
  expect((await newest()).changes).toEqual([{ field: "description", before: cut, after: cut }])
})

it("has no changes where nothing of the object differs", async () => {
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  await team.api.patch(`/topics/${topic.id}`, { name: "News" })
  expect((await newest()).changes).toEqual([])
})

it("loses an address that is erased", async () => {
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  await team.api.patch(`/topics/${topic.id}`, { description: "Asked by ada@example.com" })
  const { work } = testWork()
  await eraseTexts(work, team.id, "ada@example.com")
  expect((await newest()).changes).toEqual([
    {
      field: "description",
      before: null,
      after: `Asked by ${erasedForm(work.settings, "ada@example.com")}`,
    },
  ])
})
