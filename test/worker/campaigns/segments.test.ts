import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { campaignInput, makeBook } from "../../support/campaign.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { inAnHour } from "../platform/http/examples.ts"

const within = (value: string) => ({ all: [{ field: "email", op: "contains", value }] })

const makeSegment = async ({ api }: Team, bookId: string, filter: object): Promise<string> =>
  (await api.post("/segments", { bookId, name: "Some", filter })).body.id

const makeCampaign = async (team: Team, bookId: string, change: object) =>
  (await team.api.post("/campaigns", { ...campaignInput(team, bookId), ...change })).body.id

const recipientsOf = async ({ id }: Team, campaign: string): Promise<string[]> => {
  const { results } = await env.DB.prepare(
    `select r.address from emails e join email_recipients r on r.team_id = e.team_id and r.email_id = e.id
     where e.team_id = ? and e.campaign_id = ? order by r.address`,
  )
    .bind(id, campaign)
    .all<{ address: string }>()
  return results.map(({ address }) => address)
}

const addresses = (count: number, every: number) =>
  Array.from({ length: count }, (_, at) => `p${at}@${at % every === 0 ? "in" : "out"}.test`)

/** Fans out by the test's driver, and sends nothing yet. */
async function startFanOut(campaign: string, mayCrash?: () => boolean) {
  await env.DB.batch([
    env.DB.prepare("update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?").bind(
      campaign,
    ),
    env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(campaign),
  ])
  const driver = createDriver(mayCrash)
  return driver
}

it("a campaign goes to the subscribed contacts of its segment", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, ["ann@in.test", "bob@in.test", "cat@in.test", "dan@out.test"])
  await team.api.post("/suppressions", { email: "bob@in.test" })
  const { data } = (await team.api.get(`/contact-books/${book}/contacts?q=cat`)).body
  await team.api.patch(`/contact-books/${book}/contacts/${data[0].id}`, { subscribed: false })
  const segmentId = await makeSegment(team, book, within("@in."))
  const campaign = await makeCampaign(team, book, { segmentId })
  const path = `/campaigns/${campaign}`
  expect((await team.api.get(path)).body.segmentId).toBe(segmentId)
  expect((await team.api.get(`${path}/audience`)).body).toEqual({
    contacts: 4,
    subscribed: 3,
    suppressed: 1,
    eligible: 1,
  })
  await team.api.post(`${path}/send`)
  await eventually(async () => {
    expect((await team.api.get(path)).body).toMatchObject({
      status: "sent",
      counts: { recipients: 1 },
    })
  })
  expect(await recipientsOf(team, campaign)).toEqual(["ann@in.test"])
})

it.each([1, 3, 700])(
  "each contact gets it once, one in %s of 1,650, whatever breaks off",
  async (every) => {
    const team = await makeTeam()
    const all = addresses(1_650, every)
    const book = await makeBook(team, all)
    const segmentId = await makeSegment(team, book, within("@in."))
    const campaign = await makeCampaign(team, book, { segmentId })
    let calls = 0
    let isFaulty = false
    const driver = await startFanOut(campaign, () => isFaulty && ++calls % 7 === 0)
    for (let minute = 0; minute < 200; minute++) {
      isFaulty = false
      await driver.pass()
      isFaulty = true
      await driver.drain(["CAMPAIGNS"]).catch(() => {})
      driver.lose()
      const run = await env.DB.prepare("select status from campaigns where id = ?")
        .bind(campaign)
        .first()
      if (run?.status === "sent") break
    }
    expect(await recipientsOf(team, campaign)).toEqual(
      all.filter((address) => address.endsWith("@in.test")).toSorted(),
    )
  },
  60_000,
)

it("a changed segment counts as it is at the start", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, addresses(1_200, 2))
  const segmentId = await makeSegment(team, book, within("@none."))
  const campaign = await makeCampaign(team, book, { segmentId })
  await team.api.patch(`/segments/${segmentId}`, { filter: within("@in.") })
  const driver = await startFanOut(campaign)
  await driver.pass()
  await driver.takeMessages("CAMPAIGNS")
  await team.api.patch(`/segments/${segmentId}`, { filter: within("@") })
  await driver.drain(["CAMPAIGNS"])
  expect(await recipientsOf(team, campaign)).toHaveLength(600)
})

it("refuses an unknown segment, one of another book, and another team's", async () => {
  const [team, stranger] = [await makeTeam(), await makeTeam()]
  const [book, other] = [await makeBook(team, []), await makeBook(team, [])]
  const theirs = await makeSegment(stranger, await makeBook(stranger, []), within("a"))
  for (const segmentId of [newId("segment"), await makeSegment(team, other, within("a")), theirs]) {
    const { status, body } = await team.api.post("/campaigns", {
      ...campaignInput(team, book),
      segmentId,
    })
    expect([status, body.error.details]).toEqual([400, { field: "segmentId" }])
  }
})

it("a segment stays while a campaign to it is scheduled, and a draft needs another", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, ["ann@in.test"])
  const segmentId = await makeSegment(team, book, within("@in."))
  const campaign = await makeCampaign(team, book, { segmentId })
  await team.api.post(`/campaigns/${campaign}/schedule`, { scheduledAt: inAnHour() })
  expect((await team.api.delete(`/segments/${segmentId}`)).status).toBe(409)
  expect((await team.api.get(`/segments/${segmentId}`)).status).toBe(200)
  await team.api.patch(`/campaigns/${campaign}`, { name: "A draft again" })
  expect((await team.api.delete(`/segments/${segmentId}`)).status).toBe(204)
  const sent = await team.api.post(`/campaigns/${campaign}/send`)
  expect([sent.status, sent.body.error.details]).toEqual([400, { field: "segmentId" }])
  expect((await team.api.patch(`/campaigns/${campaign}`, { segmentId: null })).status).toBe(200)
  expect((await team.api.post(`/campaigns/${campaign}/send`)).status).toBe(200)
})

it("goes only to those of the segment that want its topic", async () => {
  const team = await makeTeam()
  const book = await makeBook(team, ["ann@in.test", "bob@in.test", "dan@out.test"])
  const { body: topic } = await team.api.post("/topics", { name: "News" })
  const { data } = (await team.api.get(`/contact-books/${book}/contacts?q=bob`)).body
  await team.api.patch(`/contact-books/${book}/contacts/${data[0].id}`, {
    topics: { [topic.id]: false },
  })
  const segmentId = await makeSegment(team, book, within("@in."))
  const campaign = await makeCampaign(team, book, { segmentId, topicId: topic.id })
  expect((await team.api.get(`/campaigns/${campaign}/audience`)).body.eligible).toBe(1)
  const driver = await startFanOut(campaign)
  await driver.pass()
  await driver.drain(["CAMPAIGNS"])
  expect(await recipientsOf(team, campaign)).toEqual(["ann@in.test"])
})
