import { expect, it } from "vitest"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const bounced = {
  email: "ada@example.com",
  reason: "bounce",
  note: "An old address",
  sourceEmailId: "em_01J00000000000000000000000",
  createdAt: "2026-01-02T03:04:05.000Z",
}

it("takes a removal back with its cause, note and time, at its old place in the list", async () => {
  const { id, api } = await makeTeam()
  const owner = await makePerson(id, "owner")
  await api.post("/suppressions", { email: "newer@example.com" })
  const restored = await owner.post("/suppressions/restore", bounced)
  expect(restored.status).toBe(201)
  expect(restored.body).toMatchObject(bounced)
  const { body } = await api.get("/suppressions")
  expect(body.data).toMatchObject([{ email: "newer@example.com" }, bounced])
  const log = await owner.get("/audit-log")
  expect(log.body.data[0]).toMatchObject({
    action: "suppressions.restore",
    object: { id: restored.body.id, label: "ada@example.com" },
  })
})

it("keeps the entry of an address that is listed again", async () => {
  const { id, api } = await makeTeam()
  const owner = await makePerson(id, "owner")
  await api.post("/suppressions", { email: bounced.email, note: "By phone" })
  const { body } = await owner.post("/suppressions/restore", bounced)
  expect(body).toMatchObject({ reason: "manual", note: "By phone" })
})

it("restores an entry of before 1970 as the oldest, and the list goes on behind it", async () => {
  const { id, api } = await makeTeam()
  const owner = await makePerson(id, "owner")
  await api.post("/suppressions", { email: "newer@example.com" })
  const createdAt = "1969-12-31T23:59:59.000Z"
  const { body } = await owner.post("/suppressions/restore", { ...bounced, createdAt })
  expect(body.id).toMatch(/^sup_[0-9A-HJKMNP-TV-Z]{26}$/)
  const first = await api.get("/suppressions?limit=1")
  expect(first.body.data).toMatchObject([{ email: "newer@example.com" }])
  const second = await api.get(`/suppressions?limit=1&cursor=${first.body.nextCursor}`)
  expect(second.body).toMatchObject({ data: [{ email: bounced.email }], nextCursor: null })
})

it("restores no entry of the future", async () => {
  const { id } = await makeTeam()
  const owner = await makePerson(id, "owner")
  const createdAt = "2999-01-01T00:00:00.000Z"
  const { body } = await owner.post("/suppressions/restore", { ...bounced, createdAt })
  expect(Date.parse(body.createdAt)).toBeLessThanOrEqual(Date.now())
})
