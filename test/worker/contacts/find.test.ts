import { beforeAll, describe, expect, it } from "vitest"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { makePerson, type Person } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

describe("a search for contacts in all books", () => {
  let member: Person
  beforeAll(async () => {
    const team = await makeTeam()
    member = await makePerson(team.id, "member")
    for (const [name, firstName] of [
      ["Readers", "Élodie"],
      ["Customers", "Grace"],
    ] as const) {
      const { body: book } = await team.api.post("/contact-books", { name })
      const input = { email: `${firstName === "Grace" ? "g" : "e"}@example.com`, firstName }
      await team.api.post(`/contact-books/${book.id}/contacts`, { ...input, lastName: "Hopper" })
      for (let at = 0; at < 8; at++) {
        const email = `many${at}@${name.toLowerCase()}.test`
        await team.api.post(`/contact-books/${book.id}/contacts`, { email })
      }
    }
    const other = await makeTeam()
    const { body } = await other.api.post("/contact-books", { name: "Others" })
    await other.api.post(`/contact-books/${body.id}/contacts`, { email: "g@example.com" })
  })

  const find = async (q: string) =>
    (await member.get(`/contacts/search?q=${encodeURIComponent(q)}`)).body.data

  it.each([
    ["G@Exam", ["g@example.com Customers"]],
    ["élo", ["e@example.com Readers"]],
    ["grace hop", ["g@example.com Customers"]],
    ["hopper", ["g@example.com Customers", "e@example.com Readers"]],
    ["opper", []],
    ["%", []],
  ])("finds %s by the start of an address or a name", async (q, expected) => {
    const found = await find(q)
    expect(
      found.map((one: { email: string; bookName: string }) => `${one.email} ${one.bookName}`),
    ).toEqual(expected)
  })

  it("shows few, in one round trip and few rows", async () => {
    expect(await find("many")).toHaveLength(5)
    const cost = await metered(() => find("many"))
    expect(cost).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
    expect(cost.rowsRead).toBeLessThan(20)
  })

  it("reads no contact that does not match", async () => {
    const cost = await metered(() => find("nobody"))
    expect(cost.rowsRead).toBeLessThan(2 * 8)
  })
})
