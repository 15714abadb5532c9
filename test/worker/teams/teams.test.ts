import { describe, expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { PERSON_ROUND_TRIPS } from "../../support/installation.ts"
import { metered } from "../../support/meter.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam } from "../../support/team.ts"

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
      postalAddress: null,
      trackOpens: false,
      trackClicks: false,
      requireSecondFactor: false,
      brand: null,
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

  it("keep a brand of colors, a font, a logo and a footer until it is taken away", async () => {
    const { call } = await open("admin")
    const brand = {
      ...{ font: "serif", textColor: "#222222", linkColor: "#0f766e" },
      ...{ logoUrl: "https://acme.test/logo.png", footerText: "Since 1999\nBerlin" },
    }
    expect(await call("PATCH", { brand })).toMatchObject({ status: 200, body: { brand } })
    expect((await call("PATCH", { name: "Other" })).body.brand).toEqual(brand)
    for (const wrong of [
      { linkColor: "red" },
      { logoUrl: "data:image/png,x" },
      { font: "Arial" },
    ]) {
      expect((await call("PATCH", { brand: wrong })).status).toBe(400)
    }
    expect((await call("PATCH", { brand: null })).body.brand).toBeNull()
    const member = await open("member")
    expect((await member.call("PATCH", { brand })).status).toBe(403)
  })

  it("keep a postal address of up to 500 characters with its lines", async () => {
    const { call } = await open("admin")
    const set = async (postalAddress: unknown) => {
      const { status, body } = await call("PATCH", { postalAddress })
      return status === 200 ? body.postalAddress : status
    }
    expect(await set(" 1 Main Street\r\n10115 Berlin\n")).toBe("1 Main Street\n10115 Berlin")
    expect(await set("x".repeat(500))).toHaveLength(500)
    expect(await set("x".repeat(501))).toBe(400)
    expect(await set("a\u0000b")).toBe(400)
    expect(await set(" \n ")).toBeNull()
    expect(await set("Street")).toBe("Street")
    expect(await set(null)).toBeNull()
  })

  it("say in campaigns and on the unsubscribe page who sends, and where they are", async () => {
    const { team, call } = await open("owner")
    await call("PATCH", { name: "Ada & Sons", postalAddress: "1 <Main> Street\nBerlin" })
    const id = await makeCampaign(team)
    await team.api.post(`/campaigns/${id}/send`)
    const { body } = await team.api.get("/sandbox/messages?to=reader@example.com&wait=30")
    const [message] = body.data
    expect(message.html).toContain(">Ada &amp; Sons<br>1 &lt;Main&gt; Street<br>Berlin<br>")
    const link = new URL(message.links.at(-1))
    expect(message.text).toContain(
      `--\nAda & Sons\n1 <Main> Street\nBerlin\nUnsubscribe: ${link.href}\n`,
    )

    await call("PATCH", { postalAddress: "2 Side Street" })
    for (const method of ["GET", "POST"]) {
      const page = await request(method, link.pathname, undefined, { accept: "text/html" })
      expect(page.body).toContain(
        '<footer translate="no" dir="auto">Ada &amp; Sons\n2 Side Street</footer>',
      )
    }
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

describe("the installation's settings", () => {
  it("are read by a member in one round trip", async () => {
    const cookie = await sessionOf((await makeTeam()).id, "member")
    const meter = await metered(async () => {
      const reply = await request("GET", "/dashboard/api/installation", undefined, { cookie })
      expect(reply).toMatchObject({
        status: 200,
        body: {
          provider: "sandbox",
          privateWebhooks: false,
          contentRetentionDays: 30,
          recordRetentionDays: 90,
          jurisdictions: [null],
        },
      })
    })
    expect(meter).toMatchObject({ roundTrips: 1 + PERSON_ROUND_TRIPS, rowsWritten: 0 })
  })
})
