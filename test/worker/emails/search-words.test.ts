import { expect, it } from "vitest"
import { makePerson } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

const words = (count: number) =>
  Array.from({ length: count }, (_, index) => `w${index}`).join("%20")

it.each(["/emails?q=", "/emails?subject=", "/sandbox/messages?q="])(
  "%s takes 20 different words and no more",
  async (path) => {
    const { api } = await makeTeam()
    expect((await api.get(path + words(20))).status).toBe(200)
    expect((await api.get(`${path}${words(20)}%20${words(20)}`)).status).toBe(200)
    const { status, body } = await api.get(path + words(21))
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("At most 20 different words"),
    ])
  },
)

it("a search in the audit log takes 20 words and no more", async () => {
  const team = await makeTeam()
  const owner = await makePerson(team.id, "owner")
  expect((await owner.get(`/audit-log?q=${words(20)}`)).status).toBe(200)
  expect((await owner.get(`/audit-log?q=${words(21)}`)).status).toBe(400)
})
