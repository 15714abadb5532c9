import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { timeOf } from "../../../src/lib/id.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { sendBacklog, sendFirst } from "../../../src/worker/emails/sending/dispatch.ts"
import { releaseClaim } from "../../../src/worker/emails/sending/release-claim.ts"
import { sweepEmails } from "../../../src/worker/emails/sending/sweep-emails.ts"
import type { Work } from "../../../src/worker/platform/context.ts"
import type { Provider } from "../../../src/worker/providers/provider.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const HOUR_MS = 3_600_000

const message = ({ domain }: Team, change: object = {}) => ({
  from: `sender@${domain}`,
  to: "someone@example.com",
  subject: "Hello",
  text: "Hi",
  scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(),
  ...change,
})

const accepting: Provider = {
  name: "sandbox",
  send: async ({ emailId }) => ({ ok: true, providerMessageId: emailId, acceptedAt: Date.now() }),
}

/** A team whose keys have been used just now: noting that is off the path, once a minute. */
async function warmTeam(): Promise<Team> {
  const team = await makeTeam()
  const lastUsed = () =>
    env.DB.prepare("update api_keys set last_used_at = ? where team_id = ?").bind(
      Date.now(),
      team.id,
    )
  await lastUsed().run()
  return team
}

/** Queued rather than scheduled: the rare statuses have an index of their own. */
const queued = (team: Team) => message(team, { scheduledAt: null })

describe("accepting", () => {
  it("one email is one round trip and four rows", async () => {
    const team = await warmTeam()
    const meter = await metered(async () => {
      expect((await team.api.post("/emails", queued(team))).status).toBe(201)
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 4 })
  })

  it("a hundred are one round trip and four hundred rows", async () => {
    const team = await warmTeam()
    const items = Array.from({ length: 100 }, () => queued(team))
    const meter = await metered(async () => {
      expect((await team.api.post("/emails/batch", items)).status).toBe(201)
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 400 })
  })

  it("a refused one stores no email: one more round trip asks for the reason, one notes the refusal", async () => {
    const team = await warmTeam()
    const body = { ...queued(team), from: "a@elsewhere.test" }
    const meter = await metered(() => team.api.post("/emails", body))
    expect(meter.roundTrips).toBe(3)
    expect(meter.rowsWritten).toBeLessThanOrEqual(1)
  })

  it("a replay writes nothing", async () => {
    const team = await warmTeam()
    const body = { ...queued(team), idempotencyKey: "k" }
    await team.api.post("/emails", body)
    const meter = await metered(() => team.api.post("/emails", body))
    expect(meter.rowsWritten).toBe(0)
  })
})

describe("sending and recording", () => {
  async function hundredScheduled() {
    const team = await warmTeam()
    const items = Array.from({ length: 100 }, () => message(team))
    const { body } = await team.api.post("/emails/batch", items)
    const refs = body.data.map(({ id }: { id: string }) => ({ teamId: team.id, emailId: id }))
    return { refs, clock: makeClock(Date.now() + HOUR_MS + 1000) }
  }

  it("a hundred emails are two round trips and four rows each", async () => {
    const { refs, clock } = await hundredScheduled()
    const { work } = testWork({ clock })
    const meter = await metered(() => dispatchEmails(work, refs, { provider: accepting }))
    expect(meter.roundTrips).toBe(2)
    expect(meter.rowsWritten).toBeLessThanOrEqual(400 + 3)
  })

  it("a hundred outcomes are one round trip and two rows each", async () => {
    const { refs, clock } = await hundredScheduled()
    const { work } = testWork({ clock })
    await dispatchEmails(work, refs, { provider: accepting })
    const events = refs.map((ref: (typeof refs)[0]) => reportOf(ref, "delivered", Date.now()))
    const meter = await metered(() => recordEvents(work, events))
    expect(meter.roundTrips).toBe(1)
    expect(meter.rowsWritten).toBeLessThanOrEqual(200 + 3)
  })
})

describe("among a hundred thousand emails", () => {
  const COUNT = 100_000
  /** The number stands where an id has its time. */
  const idOf = (index: number) => `em_${String(index).padStart(10, "0")}${"0".repeat(16)}`
  let team: Team

  beforeAll(async () => {
    team = await warmTeam()
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT})`
    await env.DB.batch([
      env.DB.prepare(
        `${numbers} insert into emails (team_id, id, status, sender, recipients, subject, tags,
           domain_id, campaign_id, created_at, not_before)
         select ?1, printf('em_%010d%016d', i, 0), iif(i % 1000, 'delivered', 'bounced'),
           '{"address":"a@b.co"}', '[]', 's', '{}', iif(i % 5000, 'dom_a', 'dom_b'),
           iif(i % 500, null, 'cmp_a'), 0, 0 from n`,
      ).bind(team.id),
      env.DB.prepare(
        `${numbers} insert into email_recipients (team_id, address, email_id)
         select ?1, 'a@b.co', printf('em_%010d%016d', i, 0) from n`,
      ).bind(team.id),
      // Open, and due in the far future.
      env.DB.prepare(
        `update emails set status = 'queued', not_before = 9e15, due_at = 9e15
         where team_id = ? and id = ?`,
      ).bind(team.id, idOf(77_777)),
    ])
  })

  const cursorAt = (index: number) => Buffer.from(idOf(index)).toString("base64url")
  const timeAt = (index: number) => new Date(timeOf(idOf(index))).toISOString()
  const since = (index: number) => `since=${timeAt(index)}`
  const until = (index: number) => `until=${timeAt(index)}`

  it("accepting, sending and recording a hundred read no more than without them", async () => {
    const items = Array.from({ length: 100 }, () => message(team))
    let refs: { teamId: string; emailId: string }[] = []
    const accept = await metered(async () => {
      const { body } = await team.api.post("/emails/batch", items)
      refs = body.data.map(({ id }: { id: string }) => ({ teamId: team.id, emailId: id }))
    })
    const { work } = testWork({ clock: makeClock(Date.now() + HOUR_MS + 1000) })
    const send = await metered(() => dispatchEmails(work, refs, { provider: accepting }))
    const events = refs.map((ref) => reportOf(ref, "delivered", Date.now()))
    const record = await metered(() => recordEvents(work, events))
    expect(refs).toHaveLength(100)
    for (const { rowsRead } of [accept, send, record]) expect(rowsRead).toBeLessThan(60 * 100)
  })

  it.each([
    ["the first emails of a team", (work: Work) => sendFirst(work, look())],
    ["the backlog", (work: Work) => sendBacklog(work, look())],
    ["campaigns in turn", (work: Work) => sendBacklog(work, { ...look(), bulk: true })],
    ["the sweep", (work: Work) => sweepEmails(work)],
    ["the giving back of a claim", (work: Work) => releaseClaim(work, "claim", Date.now())],
  ])("%s does not read the emails that are not open", async (_name, send) => {
    await team.api.post("/emails/batch", [message(team), message(team)])
    const { work } = testWork({ clock: makeClock(Date.now() + HOUR_MS + 1000) })
    const meter = await metered(() => send(work))
    // Emails of earlier tests may be due, too.
    expect(meter.rowsRead).toBeLessThan(COUNT / 5)
  })

  const look = () => ({ teams: [team.id], provider: accepting })

  it("reading one by its id is one round trip and a handful of rows", async () => {
    const meter = await metered(() => team.api.get(`/emails/${idOf(50_000)}`))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(10)
  })

  it.each([
    ["the first page", "", 35],
    ["a page in the middle", `cursor=${cursorAt(50_000)}`, 35],
    ["the last page", `cursor=${cursorAt(20)}`, 35],
    ["what is common", `status=delivered&cursor=${cursorAt(70_000)}`, 70],
    ["what is rare", "status=bounced", 70],
    ["rare ones further down", `status=bounced&cursor=${cursorAt(60_000)}`, 70],
    ["a campaign's emails", "campaignId=cmp_a", 70],
    ["an address's emails", `to=a@b.co&cursor=${cursorAt(40_000)}`, 70],
    ["a range", `${since(30_000)}&${until(60_000)}`, 35],
    ["a range's middle", `${since(30_000)}&${until(60_000)}&cursor=${cursorAt(45_000)}`, 35],
    ["a range's last page", `${since(30_000)}&${until(60_000)}&cursor=${cursorAt(30_010)}`, 35],
    ["a range above the cursor", `${since(60_000)}&cursor=${cursorAt(45_000)}`, 35],
    ["a range of what is common", `status=delivered&${since(100)}&${until(60_000)}`, 70],
    ["a range of what is rare", `status=bounced&${since(100)}&${until(60_000)}`, 70],
    [
      "a deep page of a range of what is rare",
      `status=bounced&${since(100)}&${until(99_000)}&cursor=${cursorAt(50_000)}`,
      70,
    ],
    ["a range of a campaign", `campaignId=cmp_a&${since(100)}&${until(60_000)}`, 70],
    ["a range of an address", `to=a@b.co&${since(100)}&${until(60_000)}`, 70],
  ])("%s is one round trip and at most a page of rows", async (_name, query, rowsRead) => {
    const meter = await metered(async () => {
      expect((await team.api.get(`/emails?${query}`)).status).toBe(200)
    })
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
    expect(meter.rowsRead).toBeLessThanOrEqual(rowsRead)
  })

  it("a filter without an index costs the same at any depth", async () => {
    for (const index of [90_000, 40_000]) {
      const query = `domainId=dom_b&${since(100)}&${until(95_000)}&cursor=${cursorAt(index)}`
      const meter = await metered(() => team.api.get(`/emails?${query}`))
      expect(meter.roundTrips).toBe(1)
      expect(meter.rowsRead).toBeLessThanOrEqual(3_100)
    }
  })

  it("a page of keys and of suppressions is one round trip without a write", async () => {
    for (const path of ["/api-keys", "/suppressions", "/me"]) {
      const meter = await metered(() => team.api.get(path))
      expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
      expect(meter.rowsRead).toBeLessThanOrEqual(35)
    }
  })
})
