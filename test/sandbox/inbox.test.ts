import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { request } from "../support/api.ts"
import { metered } from "../support/meter.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam, type Team } from "../support/team.ts"

describe("the list of the test inbox", () => {
  let team: Team
  let cookie: string
  beforeAll(async () => {
    team = await makeTeam()
    cookie = await sessionOf(team.id, "member")
  })
  const list = (query = "") => request("GET", `/dashboard/api/inbox${query}`, undefined, { cookie })

  it("shows who got which subject, newest first, and searches by address", async () => {
    const send = async (to: string, subject: string) => {
      const from = `Shop <shop@${team.domain}>`
      const { body } = await team.api.post("/emails", { from, to, subject, text: "Hi" })
      await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=10`)
      return body.id as string
    }
    const first = await send("ada@example.com", "One")
    const second = await send("Grace <grace@example.com>", "Two")
    const { status, body } = await list()
    expect(status).toBe(200)
    const common = { from: `Shop <shop@${team.domain}>`, createdAt: expect.any(String) }
    expect(body).toEqual({
      data: [
        { ...common, id: second, to: ["grace@example.com"], subject: "Two" },
        { ...common, id: first, to: ["ada@example.com"], subject: "One" },
      ],
      nextCursor: null,
    })
    const found = await list("?to=Ada@example.com")
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([first])
    const page = await list("?limit=1")
    const next = await list(`?limit=1&cursor=${page.body.nextCursor}`)
    expect(next.body.data[0].id).toBe(first)
  })

  it("costs one round trip and the rows of a page, among many", async () => {
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
         insert into sandbox_messages (team_id, email_id, sender, recipients, created_at)
         select ?1, printf('em_%026d', i), 'a@b.co', '[]', 0 from n`,
      ).bind(team.id),
    ])
    await list()
    const meter = await metered(async () => {
      const { body } = await list()
      expect(body.data).toHaveLength(25)
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(2 * 26 + 10)
  })
})
