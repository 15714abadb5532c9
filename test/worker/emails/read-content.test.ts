import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { makeCampaign, pause, readers } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { makeInbox } from "../../support/receiving.ts"
import { sessionOf } from "../../support/session.ts"
import { makeTeam, type Team } from "../../support/team.ts"

async function setUp(change: object = {}) {
  const team = await makeTeam()
  const { body } = await team.api.post("/emails", {
    from: `Sender <sender@${team.domain}>`,
    to: "ada@example.com",
    bcc: "secret@example.com",
    subject: "Your invoice",
    html: "<p>Hi <b>Ada</b></p>",
    scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    ...change,
  })
  const cookie = await sessionOf(team.id, "member")
  const get = (path: string) =>
    request("GET", `/dashboard/api/emails/${body.id}${path}`, undefined, { cookie })
  return { team, id: body.id as string, get }
}

it("shows a member the body of an email and the sizes of its files", async () => {
  const { get } = await setUp({ attachments: [{ filename: "hi.txt", content: "SGk=" }] })
  expect((await get("/content")).body).toEqual({
    html: "<p>Hi <b>Ada</b></p>",
    text: null,
    headers: {},
    attachments: [{ filename: "hi.txt", contentType: null, contentId: null, bytes: 2 }],
  })
  expect((await get("/attachments/0")).body).toEqual({ filename: "hi.txt", content: "SGk=" })
  expect((await get("/attachments/1")).status).toBe(404)
  expect((await get("/attachments/-1")).status).toBe(404)
})

it("composes the source without the bcc recipients, with the text part that goes out", async () => {
  const { get } = await setUp()
  const { source } = (await get("/source")).body
  expect(source).toContain("Subject: Your invoice\r\n")
  expect(source).toContain("Hi Ada")
  expect(source).not.toContain("secret@example.com")
})

const CHANGES: [string, (team: Team, campaign: string) => Promise<unknown>][] = [
  [
    "its contact has unsubscribed",
    ({ api }) => api.post("/contacts/unsubscribe", { email: readers(1)[0] }),
  ],
  ["its campaign is paused", pause],
  [
    "its campaign was cancelled",
    (_, campaign) =>
      env.DB.prepare("update campaigns set status = 'cancelled' where id = ?").bind(campaign).run(),
  ],
]

it.each(CHANGES)("shows an email of a campaign that was sent after %s", async (_, change) => {
  const { team, campaign, id, content } = await sentToCampaign()
  const [shown, raw] = [await content(), await team.api.get(`/emails/${id}/raw`)]
  expect([shown.status, raw.status]).toEqual([200, 200])
  await change(team, campaign)
  expect((await content()).body).toEqual(shown.body)
  expect((await team.api.get(`/emails/${id}/raw`)).body).toEqual(raw.body)
})

it("has no content of a campaign's email whose contact was deleted", async () => {
  const { team, bookId, id, content } = await sentToCampaign()
  const contacts = `/contact-books/${bookId}/contacts`
  const { body } = await team.api.get(contacts)
  await team.api.delete(`${contacts}/${body.data[0].id}`)
  expect((await content()).status).toBe(404)
  expect((await team.api.get(`/emails/${id}/raw`)).status).toBe(404)
})

it("composes the link of a campaign's email to unsubscribe by mail, where the domain receives", async () => {
  const { team, id } = await sentToCampaign(makeInbox)
  const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${id}&wait=30`)
  const sent = inbox.data[0].headers["list-unsubscribe"]
  expect(sent).toContain("<mailto:u+")
  const { body: raw } = await team.api.get(`/emails/${id}/raw`)
  expect(raw.replace(/\r\n\s/g, " ")).toContain(`List-Unsubscribe: ${sent}`)
})

async function sentToCampaign(prepare: (team: Team) => Promise<unknown> = async () => {}) {
  const team = await makeTeam()
  await prepare(team)
  const campaign = await makeCampaign(team, readers(1))
  await team.api.post(`/campaigns/${campaign}/send`)
  const { bookId } = await eventually(async () => {
    const { body } = await team.api.get(`/campaigns/${campaign}`)
    expect(body.counts.delivered).toBe(1)
    return body
  })
  const { body } = await team.api.get(`/emails?campaignId=${campaign}`)
  const id: string = body.data[0].id
  const cookie = await sessionOf(team.id, "member")
  const content = () => request("GET", `/dashboard/api/emails/${id}/content`, undefined, { cookie })
  return { team, campaign, bookId, id, content }
}

it("has no such calls under /api/v1", async () => {
  const { team, id } = await setUp()
  expect((await team.api.get(`/emails/${id}/content`)).status).toBe(404)
})
