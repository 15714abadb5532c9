import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { purgeDeleted } from "../../../src/worker/campaigns/delete.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { MAX_LINKS } from "../../../src/worker/stats/links/contract.ts"
import { linkOf } from "../../../src/worker/stats/links/count-links.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { acceptForLater } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"

const NEWS = "https://example.com/news"
const START = Date.now()

/** Emails of the campaign. */
async function emailsOf(team: Team, campaignId: string, count: number) {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push(await acceptForLater(team))
  await env.DB.prepare(
    "update emails set campaign_id = ?, contact_id = 'con' where team_id = ? and campaign_id is null",
  )
    .bind(campaignId, team.id)
    .run()
  return ids
}

let clicks = 0
async function click(team: Team, emailId: string, url: string, visitor = String(clicks++)) {
  const { work } = testWork()
  const ref = { teamId: team.id, emailId }
  await recordEvents(work, [reportOf(ref, "clicked", START, { url }, visitor)])
}

const links = async ({ api }: Team, path: string, query = "") => {
  const { status, body } = await api.get(`${path}/links${query}`)
  expect(status).toBe(200)
  return body
}

describe("the links of a campaign", () => {
  it("have their clicks and the emails that were clicked, most clicks first", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const [one = "", two = ""] = await emailsOf(team, id, 2)
    await click(team, one, "https://example.com/rare")
    await click(team, one, NEWS)
    await click(team, one, NEWS)
    await click(team, two, NEWS, "the same")
    await click(team, two, NEWS, "the same")
    const body = await links(team, `/campaigns/${id}`)
    expect(body).toEqual({
      data: [
        { url: NEWS, clicks: 3, recipients: 2 },
        { url: "https://example.com/rare", clicks: 1, recipients: 1 },
      ],
      nextCursor: null,
    })
  })

  it("are listed by pages, also where links have the same clicks", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const [one = ""] = await emailsOf(team, id, 1)
    for (const path of ["c", "a", "b", "a"]) await click(team, one, `https://example.com/${path}`)
    const found: string[] = []
    let cursor = ""
    do {
      const body = await links(team, `/campaigns/${id}`, `?limit=1${cursor}`)
      found.push(...body.data.map(({ url }: { url: string }) => url.slice(-1)))
      cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : ""
    } while (cursor)
    expect(found).toEqual(["a", "b", "c"])
    expect((await team.api.get(`/campaigns/${id}/links?cursor=x`)).status).toBe(400)
  })

  it("are the same for every recipient, and keep no address", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const [one = "", two = "", three = ""] = await emailsOf(team, id, 3)
    await click(team, one, "https://example.com/u?e=ada%40example.com&x=1")
    await click(team, two, "https://example.com/u?e=grace@example.com&x=1")
    await click(team, three, "https://example.com/u?e=mary%252540example.com&x=1")
    expect((await links(team, `/campaigns/${id}`)).data).toEqual([
      { url: "https://example.com/u?e={address}&x=1", clicks: 3, recipients: 3 },
    ])
    expect(linkOf("https://a@b.c/x@y/z#q=1@2")).toBe("https://{address}/{address}/z#q={address}")
  })

  it("that named an address in an earlier release count together", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const insert = env.DB.prepare("insert into link_clicks values (?, ?, ?, ?, 1)")
    const urls = [
      "",
      "https://a.test/?e=ada%2540b.test",
      "https://a.test/?e=bob%252540b.test",
      NEWS,
    ]
    await env.DB.batch(urls.map((url, index) => insert.bind(team.id, id, url, index + 1)))
    const migration = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0068"))
    for (const query of migration?.queries ?? []) await env.DB.prepare(query).run()
    expect((await links(team, `/campaigns/${id}`)).data).toEqual([
      { url: null, clicks: 6, recipients: 3 },
      { url: NEWS, clicks: 4, recipients: 1 },
    ])
  })

  it("beyond the first thousand count together", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const [one = ""] = await emailsOf(team, id, 1)
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?3)
       insert into link_clicks (team_id, owner_id, url, clicks, recipients)
       select ?1, ?2, 'https://example.com/' || i, 2, 2 from n`,
    )
      .bind(team.id, id, MAX_LINKS)
      .run()
    await click(team, one, "https://example.com/7")
    for (const path of ["x", "y"]) await click(team, one, `https://example.com/${path}`)
    const { data } = await links(team, `/campaigns/${id}`, "?limit=2")
    expect(data).toEqual([
      { url: "https://example.com/7", clicks: 3, recipients: 3 },
      { url: null, clicks: 2, recipients: 2 },
    ])
  })

  it("of another team or an unknown campaign are not found", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    const id = await makeCampaign(team)
    expect((await other.api.get(`/campaigns/${id}/links`)).status).toBe(404)
    expect((await team.api.get("/campaigns/cmp_nope/links")).status).toBe(404)
  })

  it("cost a click one row, are read in one round trip, and go with the campaign", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team)
    const [one = ""] = await emailsOf(team, id, 1)
    await click(team, one, NEWS)
    const again = await metered(() => click(team, one, NEWS))
    // Its event, the email, the counts of the day, the hour and the campaign, and the link.
    expect(again.rowsWritten).toBeLessThanOrEqual(6)
    await links(team, `/campaigns/${id}`)
    const meter = await metered(() => links(team, `/campaigns/${id}`))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    await team.api.delete(`/campaigns/${id}`)
    await purgeDeleted(testWork().work)
    const left = await env.DB.prepare("select count(*) as n from link_clicks where team_id = ?")
    expect(await left.bind(team.id).first()).toEqual({ n: 0 })
  })
})

describe("the links of a template", () => {
  it("are those of its own emails, and go with the template", async () => {
    const team = await makeTeam()
    const input = { slug: "welcome", name: "W", subject: "Hi", bodyHtml: "<p>Hi</p>" }
    await team.api.post("/templates", input)
    const change = { template: "welcome", text: undefined, subject: undefined }
    const emailId = await acceptForLater(team, change)
    await click(team, emailId, NEWS)
    const data = [{ url: NEWS, clicks: 1, recipients: 1 }]
    expect((await links(team, "/templates/welcome")).data).toEqual(data)
    expect((await team.api.get("/templates/other/links")).status).toBe(404)
    await team.api.delete("/templates/welcome")
    const left = await env.DB.prepare("select count(*) as n from link_clicks where team_id = ?")
    expect(await left.bind(team.id).first()).toEqual({ n: 0 })
  })
})
