import { describe, expect, it } from "vitest"
import { makeTeam } from "../../support/team.ts"

describe("entries of the suppression list", () => {
  it("are listed newest first, in pages", async () => {
    const { api } = await makeTeam()
    for (const name of ["a", "b", "c"]) {
      await api.post("/suppressions", { email: `${name}@example.com` })
    }
    const { body: first } = await api.get("/suppressions?limit=2")
    const { body: rest } = await api.get(`/suppressions?limit=2&cursor=${first.nextCursor}`)
    const emails = [...first.data, ...rest.data].map(({ email }: { email: string }) => email)
    expect(emails).toEqual(["c@example.com", "b@example.com", "a@example.com"])
    expect(rest.nextCursor).toBeNull()
  })

  it("keep their first entry", async () => {
    const { api } = await makeTeam()
    const first = await api.post("/suppressions", { email: "A@example.com", note: "first" })
    expect(first.body).toMatchObject({
      email: "a@example.com",
      reason: "manual",
      note: "first",
      sourceEmailId: null,
    })
    const again = await api.post("/suppressions", { email: "a@example.com", reason: "unsubscribe" })
    expect([again.status, again.body]).toEqual([201, first.body])
  })

  it("are removed by address, in any case", async () => {
    const { api } = await makeTeam()
    await api.post("/suppressions", { email: "a+b@example.com" })
    expect((await api.delete("/suppressions/A%2BB%40Example.com")).status).toBe(204)
    expect((await api.delete("/suppressions/a%2Bb%40example.com")).status).toBe(404)
    expect((await api.delete("/suppressions/nonsense")).status).toBe(404)
    expect((await api.delete("/suppressions/%E0%A4%A")).status).toBe(404)
  })

  it.each([
    ["no address", {}, "email"],
    ["a bad address", { email: "nobody" }, "email"],
    ["a name beside it", { email: "Ann <a@b.co>" }, "email"],
    ["a reason of the service's own", { email: "a@b.co", reason: "bounce" }, "reason"],
    ["a note that is a number", { email: "a@b.co", note: 1 }, "note"],
  ])("are refused with %s", async (_name, body, field) => {
    const { api } = await makeTeam()
    const reply = await api.post("/suppressions", body)
    expect([reply.status, reply.body.error.details[0].path]).toEqual([400, [field]])
  })
})
