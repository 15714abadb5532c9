import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { commit } from "../../../src/worker/platform/db/commit.ts"
import { suppressErased } from "../../../src/worker/suppressions/erased.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const emailsIn = (body: { data: { email: string }[] }) => body.data.map(({ email }) => email)

describe("a search of suppressions", () => {
  it("finds addresses by their start, page by page, in this team alone", async () => {
    const { api } = await makeTeam()
    const other = await makeTeam()
    for (const name of ["ada", "adam", "ADAH", "bob"]) {
      await api.post("/suppressions", { email: `${name}@example.com` })
    }
    await other.api.post("/suppressions", { email: "adele@example.com" })
    const first = await api.get("/suppressions?q=Ada&limit=2")
    expect(emailsIn(first.body)).toEqual(["ada@example.com", "adah@example.com"])
    const second = await api.get(`/suppressions?q=Ada&limit=2&cursor=${first.body.nextCursor}`)
    expect(emailsIn(second.body)).toEqual(["adam@example.com"])
    expect(second.body.nextCursor).toBeNull()
    expect(emailsIn((await api.get("/suppressions?q=ada@")).body)).toEqual(["ada@example.com"])
    expect(emailsIn((await api.get("/suppressions?q=zoe")).body)).toEqual([])
    const stored = (await api.post("/suppressions", { email: "g@bücher.test" })).body.email
    const written = encodeURIComponent("g@Bücher.test")
    expect(emailsIn((await api.get(`/suppressions?q=${written}`)).body)).toEqual([stored])
    for (const wrong of ["q=", "q=%20", `q=bob&cursor=${first.body.nextCursor}`, "q=a&cursor=x"]) {
      expect((await api.get(`/suppressions?${wrong}`)).status).toBe(400)
    }
  })

  it("finds the entry of an erased address by the whole address", async () => {
    const { api, id } = await makeTeam()
    await api.post("/suppressions", { email: "gone@example.com" })
    const { work } = testWork()
    await commit(work, { suppressed: suppressErased(work, id, "gone@example.com") })
    const found = await api.get("/suppressions?q=Gone@example.com")
    expect(emailsIn(found.body)).toEqual([expect.stringContaining("@erased.invalid")])
    expect(emailsIn((await api.get("/suppressions?q=gone")).body)).toEqual([])
  })

  it("reads no more rows than a page, among many", async () => {
    const { api, id } = await makeTeam()
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into suppressions (team_id, email, id, reason, created_at)
       select ?1, 'a' || i || '@example.com', 'sup_' || ?1 || i, 'manual', 0 from n`,
    )
      .bind(id)
      .run()
    await api.get("/suppressions")
    const meter = await metered(async () => {
      const { body } = await api.get("/suppressions?q=a")
      expect(body.data).toHaveLength(25)
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(35)
  })
})
