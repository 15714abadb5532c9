import { describe, expect, it } from "vitest"
import { request } from "../support/api.ts"
import { eventually } from "../support/eventually.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam } from "../support/team.ts"

async function open(role: "owner" | "admin" | "member") {
  const team = await makeTeam()
  const cookie = await sessionOf(team.id, role)
  const call = (method: string, body?: unknown) =>
    request(method, "/dashboard/api/team", body, { cookie })
  return { team, call }
}

describe("a team's settings", () => {
  it("are read by a member and changed by an admin", async () => {
    const { team, call } = await open("admin")
    const { body } = await call("GET")
    expect(body).toEqual({
      id: team.id,
      name: expect.any(String),
      trackOpens: false,
      trackClicks: false,
      createdAt: expect.any(String),
    })
    const changed = await call("PATCH", { name: " Other ", trackClicks: true })
    expect(changed).toMatchObject({
      status: 200,
      body: { ...body, name: "Other", trackClicks: true },
    })
    expect((await call("GET")).body).toEqual(changed.body)
    expect((await call("PATCH", {})).status).toBe(400)
    expect((await call("PATCH", { name: "" })).status).toBe(400)

    const member = await open("member")
    expect((await member.call("GET")).status).toBe(200)
    expect((await member.call("PATCH", { name: "x" })).status).toBe(403)
  })

  it("decide for mail that does not say itself whether it is tracked", async () => {
    const { team, call } = await open("owner")
    const send = (fields: object) =>
      team.api.post("/emails", {
        from: `hi@${team.domain}`,
        to: "reader@example.com",
        subject: "Hello",
        html: "<p>Hi</p>",
        ...fields,
      })
    await call("PATCH", { trackOpens: true })
    const tracked = (await send({})).body.id
    const not = (await send({ trackOpens: false })).body.id
    const pixels = (emailId: string) =>
      eventually(async () => {
        const { body } = await team.api.get(`/sandbox/messages?emailId=${emailId}`)
        return body.data[0].html.split("/t/o/").length - 1
      })
    expect([await pixels(tracked), await pixels(not)]).toEqual([1, 0])
  })
})
