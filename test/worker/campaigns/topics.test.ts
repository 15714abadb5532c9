import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { selectAudience } from "../../../src/worker/campaigns/sending/audience-page.ts"
import { type Api, request } from "../../support/api.ts"
import { campaignInput, makeBook, putIntoCampaign } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { acceptForLater, afterThat } from "../../support/mail.ts"
import { formOf, send } from "../../support/preference-form.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"
import { inAnHour } from "../platform/http/examples.ts"

const makeTopic = async (api: Api, choice = "subscribed"): Promise<string> =>
  (await api.post("/topics", { name: "News", default: choice })).body.id

interface Reader {
  subscribed: boolean
  choice: boolean | undefined
}

const READERS: Reader[] = [true, false].flatMap((subscribed) =>
  [true, false, undefined].map((choice) => ({ subscribed, choice })),
)
const addressOf = ({ subscribed, choice }: Reader) => `${subscribed}.${choice}@example.com`

async function makeReaders({ api }: Team, topic: string): Promise<string> {
  const { body: book } = await api.post("/contact-books", { name: "Readers" })
  for (const reader of READERS) {
    const topics = reader.choice === undefined ? {} : { [topic]: reader.choice }
    const { subscribed } = reader
    const contact = { email: addressOf(reader), subscribed, topics }
    await api.post(`/contact-books/${book.id}/contacts`, contact)
  }
  return book.id
}

async function makeCampaign(team: Team, bookId: string, topicId: string | null): Promise<string> {
  const input = { ...campaignInput(team, bookId), topicId }
  return (await team.api.post("/campaigns", input)).body.id
}

const recipientsOf = async ({ api }: Team, campaign: string): Promise<string[]> => {
  const { body } = await api.get(`/emails?campaignId=${campaign}&limit=100`)
  return body.data.flatMap(({ to }: { to: string[] }) => to).sort()
}

it.each(["subscribed", "unsubscribed"])(
  "a campaign with a topic that is %s by default goes to whom it should",
  async (byDefault) => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api, byDefault)
    const campaign = await makeCampaign(team, await makeReaders(team, topic), topic)
    const wanted = READERS.filter(
      ({ subscribed, choice = byDefault === "subscribed" }) => subscribed && choice,
    )
    const path = `/campaigns/${campaign}`
    const audience = (await team.api.get(`${path}/audience`)).body
    expect(audience).toMatchObject({ contacts: 6, subscribed: 3, eligible: wanted.length })
    await team.api.post(`${path}/send`)
    await eventually(async () => {
      expect((await team.api.get(path)).body.status).toBe("sent")
    })
    expect(await recipientsOf(team, campaign)).toEqual(wanted.map(addressOf).sort())
  },
)

it("counts no suppressed contact as eligible, whatever it has chosen", async () => {
  const team = await makeTeam()
  const topic = await makeTopic(team.api, "unsubscribed")
  const campaign = await makeCampaign(team, await makeReaders(team, topic), topic)
  await team.api.post("/suppressions", { email: "true.true@example.com" })
  const { body } = await team.api.get(`/campaigns/${campaign}/audience`)
  expect(body).toEqual({ contacts: 6, subscribed: 3, suppressed: 1, eligible: 0 })
})

it.each(["subscribed", "unsubscribed"])(
  "counts nobody in a deleted book, also while its contacts are still there (%s by default)",
  async (byDefault) => {
    const team = await makeTeam()
    const topic = await makeTopic(team.api, byDefault)
    const book = await makeReaders(team, topic)
    const campaign = await makeCampaign(team, book, topic)
    await env.DB.prepare("delete from contact_books where id = ?").bind(book).run()
    const { body } = await team.api.get(`/campaigns/${campaign}/audience`)
    expect(body).toEqual({ contacts: 0, subscribed: 0, suppressed: 0, eligible: 0 })
  },
)

it("refuses an unknown topic, and another team's", async () => {
  const team = await makeTeam()
  const other = await makeTeam()
  const book = await makeBook(team, [])
  for (const topicId of ["top_none", newId("topic"), await makeTopic(other.api)]) {
    const { status, body } = await team.api.post("/campaigns", {
      ...campaignInput(team, book),
      topicId,
    })
    expect([status, body.error.details]).toEqual([400, { field: "topicId" }])
  }
})

/** Fans out by the test's driver, and sends nothing yet. */
async function fanOut(campaign: string) {
  await env.DB.batch([
    env.DB.prepare("update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?").bind(
      campaign,
    ),
    env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(campaign),
  ])
  const driver = createDriver()
  await driver.pass()
  await driver.drain(["CAMPAIGNS"])
  return driver
}

it.each([
  ["false", "cancelled"],
  ["true", /sent|delivered/],
])("asks again just before the hand-over: a choice of %s", async (choice, status) => {
  const team = await makeTeam()
  const topic = await makeTopic(team.api, choice === "true" ? "unsubscribed" : "subscribed")
  const emailId = await acceptForLater(team)
  await putIntoCampaign(team, emailId)
  await env.DB.batch([
    env.DB.prepare("update campaigns set topic_id = ? where team_id = ?").bind(topic, team.id),
    env.DB.prepare("update contacts set topics = json_object(?, json(?)) where team_id = ?").bind(
      topic,
      choice,
      team.id,
    ),
  ])
  const { work } = testWork({ clock: makeClock(afterThat()) })
  await dispatchEmails(work, [{ teamId: team.id, emailId }], { bulk: true })
  expect((await team.api.get(`/emails/${emailId}`)).body.status).toMatch(status)
})

it("finds few readers among many contacts, with a bounded scan a step", async () => {
  const team = await makeTeam()
  const topic = await makeTopic(team.api, "unsubscribed")
  const names = Array.from({ length: 3_500 }, (_, i) => `reader${i}@example.com`)
  const book = await makeBook(team, names)
  // Scans begin behind 3499 and 2499, so one ends at 1499 and the next one begins with 1498.
  const readers = [0, 1200, 1498, 2499, 2500, 3499].map((index) => `reader${index}`)
  await env.DB.prepare(
    `update contacts set topics = json_object(?2, json('true'))
     where team_id = ?1 and email in (select value || '@example.com' from json_each(?3))`,
  )
    .bind(team.id, topic, JSON.stringify(readers))
    .run()
  const campaign = await makeCampaign(team, book, topic)
  await fanOut(campaign)
  expect(await recipientsOf(team, campaign)).toEqual(
    readers.map((name) => `${name}@example.com`).sort(),
  )
  expect((await team.api.get(`/campaigns/${campaign}`)).body).toMatchObject({
    status: "sent",
    counts: { recipients: readers.length },
  })
})

it("makes a scheduled campaign of a deleted topic a draft, which cannot be sent", async () => {
  const team = await makeTeam()
  const topic = await makeTopic(team.api)
  const book = await makeBook(team, ["a@example.com"])
  const campaign = await makeCampaign(team, book, topic)
  const other = await makeCampaign(team, book, null)
  for (const id of [campaign, other]) {
    await team.api.post(`/campaigns/${id}/schedule`, { scheduledAt: inAnHour() })
  }
  await team.api.delete(`/topics/${topic}`)
  const path = `/campaigns/${campaign}`
  expect((await team.api.get(path)).body).toMatchObject({
    status: "draft",
    scheduledAt: null,
    topicId: topic,
    pausedReason: "Topic not found.",
  })
  expect((await team.api.get(`/campaigns/${other}`)).body.status).toBe("scheduled")
  expect((await team.api.get(`${path}/audience`)).body.eligible).toBe(0)
  const refused = await team.api.post(`${path}/send`)
  expect([refused.status, refused.body.error.details]).toEqual([400, { field: "topicId" }])
  expect((await team.api.patch(path, { topicId: null })).body.topicId).toBeNull()
  expect((await team.api.post(`${path}/send`)).status).toBe(200)
})

it("goes to nobody else when its topic is deleted while it is sent", async () => {
  const team = await makeTeam()
  const topic = await makeTopic(team.api)
  const emailId = await acceptForLater(team)
  await putIntoCampaign(team, emailId)
  await env.DB.prepare("update campaigns set topic_id = ?, status = 'sending' where team_id = ?")
    .bind(topic, team.id)
    .run()
  await team.api.delete(`/topics/${topic}`)
  const { work } = testWork({ clock: makeClock(afterThat()) })
  await dispatchEmails(work, [{ teamId: team.id, emailId }], { bulk: true })
  expect((await team.api.get(`/emails/${emailId}`)).body.status).toBe("cancelled")
  const { results } = await env.DB.prepare(
    "select id as campaignId from campaigns where team_id = ?",
  )
    .bind(team.id)
    .all<{ campaignId: string }>()
  const ref = { teamId: team.id, campaignId: results[0]?.campaignId as string }
  expect(await selectAudience(work, ref)).toEqual([])
})

it("links each reader to their own preference page, untracked", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, ["ada@example.com"])
  const { body } = await team.api.post("/campaigns", {
    ...campaignInput(team, book),
    trackClicks: true,
    blocks: [
      { kind: "text", html: '<a href="{{preferencesUrl}}">Yours</a> or {{ preferencesUrl }}' },
      { kind: "button", label: "Preferences", url: "{{ preferencesUrl }}" },
      { kind: "button", label: "Shop", url: "https://shop.test/?back={{ preferencesUrl }}" },
    ],
  })
  await team.api.post(`/campaigns/${body.id}/send`)
  const { data } = (await team.api.get("/sandbox/messages?to=ada@example.com&wait=30")).body
  const { html, text } = data[0]
  const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  const own = hrefs.filter((href: string) => href.includes("/preferences/"))
  expect(own).toHaveLength(2)
  expect(new Set(own).size).toBe(1)
  expect(text).toContain(`Preferences: ${own[0]}`)
  expect(text).toContain(`https://shop.test/?back=${encodeURIComponent(own[0])}`)
  const page = await request("GET", new URL(own[0]).pathname, undefined, { accept: "text/html" })
  expect(page.body).toContain("ada@example.com")
})

it("counts who leaves its book by the preference page", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, ["ada@example.com", "bob@example.com"])
  const other = await makeBook(team, ["ada@example.com"])
  const { body } = await team.api.post("/campaigns", {
    ...campaignInput(team, book),
    blocks: [{ kind: "text", html: "{{ preferencesUrl }}" }],
  })
  const counted = async () => (await team.api.get(`/campaigns/${body.id}`)).body.counts.unsubscribed
  await team.api.post(`/campaigns/${body.id}/send`)
  const { data } = (await team.api.get("/sandbox/messages?to=ada@example.com&wait=30")).body
  const { pathname } = new URL(
    /https?:[\w.:/-]+\/preferences\/[\w.-]+/.exec(data[0].html)?.[0] ?? "",
  )
  const form = formOf((await request("GET", pathname)).body)
  await send(pathname, form, { [other]: false })
  expect(await counted()).toBe(0)
  for (let times = 0; times < 2; times++) {
    const page = await send(pathname, form, { [book]: false })
    expect(formOf(page.body).boxes).toEqual({ [book]: false, [other]: false })
  }
  expect(await counted()).toBe(1)
})
