import { env } from "cloudflare:workers"
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId, timeOf } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { pauseCampaign, resumeCampaign } from "../../../src/worker/campaigns/run/pause.ts"
import { startScheduled } from "../../../src/worker/campaigns/run/start.ts"
import { selectAudience } from "../../../src/worker/campaigns/sending/audience-page.ts"
import { completeCampaign, endFanOut } from "../../../src/worker/campaigns/sending/ends.ts"
import { advanceCampaign } from "../../../src/worker/campaigns/sending/fan-out.ts"
import { mailBatch } from "../../../src/worker/campaigns/sending/mail-batch.ts"
import { judgeWave } from "../../../src/worker/campaigns/sending/waves.ts"
import { type CampaignWithRun, selectCampaign } from "../../../src/worker/campaigns/view.ts"
import { EMAIL_EVENT_TYPES } from "../../../src/worker/emails/contract.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { sendBacklog } from "../../../src/worker/emails/sending/dispatch.ts"
import { request } from "../../support/api.ts"
import { fanOut, makeCampaign, readers, start } from "../../support/campaign.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { cutOffCampaigns, metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { testWork } from "../../support/work.ts"
import { inAnHour } from "../platform/http/examples.ts"

const read = async ({ api }: Team, id: string) => (await api.get(`/campaigns/${id}`)).body

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
async function rows(sql: string, ...values: unknown[]): Promise<any[]> {
  const statement = env.DB.prepare(sql).bind(...values)
  return (await statement.all()).results
}

async function addWebhook({ id }: Team) {
  await env.DB.batch([
    env.DB.prepare("insert into event_sequences (team_id, last) values (?, 0)").bind(id),
    env.DB.prepare(
      `insert into webhooks (team_id, id, url, events, enabled, secret, created_at, updated_at)
       values (?, ?, 'https://a.test', '[]', 0, '', 0, 0)`,
    ).bind(id, newId("webhook")),
  ])
}

const told = async ({ id }: Team) =>
  (
    await rows(
      "select type, data from events where team_id = ? and type like 'campaign.%' order by sequence",
      id,
    )
  ).map(({ type, data }) => ({ type, campaign: JSON.parse(data).campaign }))

/** The tally as the mail log has it. */
async function tally(campaignId: string) {
  const [{ recipients }] = await rows(
    "select count(*) as recipients from emails where campaign_id = ?",
    campaignId,
  )
  const counted = await rows(
    `select v.type, count(distinct v.email_id) as count from emails e
     join email_events v on v.team_id = e.team_id and v.email_id = e.id
     where e.campaign_id = ? group by v.type`,
    campaignId,
  )
  const counts = new Map(counted.map(({ type, count }) => [type, count]))
  const uncounted = new Set(["suppressed", "delayed", "cancelled"])
  const names = EMAIL_EVENT_TYPES.filter((type) => !uncounted.has(type))
  return { recipients, ...Object.fromEntries(names.map((type) => [type, counts.get(type) ?? 0])) }
}

describe("a campaign", () => {
  it("is sent to each contact of its book by name, with an unsubscribe link", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(3), { replyTo: "help@example.com" })
    const sent = await team.api.post(`/campaigns/${id}/send`)
    expect(sent.status).toBe(200)
    expect(sent.body.status).toBe("sending")
    await eventually(async () => {
      const { status, counts } = await read(team, id)
      const expected = { status: "sent", recipients: 3, sent: 3, delivered: 3 }
      expect({ status, ...counts }).toMatchObject(expected)
    })
    const { body } = await team.api.get("/sandbox/messages")
    expect(body.data).toHaveLength(3)
    const [message] = body.data
    const [link] = message.links.filter((url: string) => url.includes("/unsubscribe/"))
    expect(message).toMatchObject({
      subject: "Hello Ada",
      text: expect.stringContaining("Hi Ada of London"),
      html: expect.stringContaining("Hi Ada of London"),
      headers: {
        "reply-to": "help@example.com",
        "list-unsubscribe": `<${link}>`,
        "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      },
    })
    expect(message.html).toContain(`href="${link}"`)
    expect(message.text).toContain(link)
    expect((await team.api.get(`/emails?campaignId=${id}`)).body.data).toHaveLength(3)

    for (let twice = 0; twice < 2; twice++) {
      const reply = await request("POST", new URL(link).pathname, "List-Unsubscribe=One-Click")
      expect(reply.status).toBe(200)
    }
    expect((await read(team, id)).counts.unsubscribed).toBe(1)

    const { bookId } = await read(team, id)
    const contacts = `/contact-books/${bookId}/contacts`
    const [gone] = (await team.api.get(`${contacts}?subscribed=false`)).body.data
    await team.api.patch(`${contacts}/${gone.id}`, { email: "moved@example.com", subscribed: true })
    await env.DB.prepare("delete from emails where team_id = ?").bind(team.id).run()
    await request("POST", new URL(link).pathname, "List-Unsubscribe=One-Click")
    expect((await team.api.get(`${contacts}/${gone.id}`)).body.subscribed).toBe(false)
    expect((await read(team, id)).counts.unsubscribed).toBe(1)
  })

  it("fails the emails that a contact's values make too long, and sends the others", async () => {
    const team = await makeTeam()
    const html = "{{ properties.note }}".repeat(900)
    const id = await makeCampaign(team, readers(2), { blocks: [{ kind: "text", html }] })
    await rows(
      "update contacts set properties = ? where team_id = ? and email like '%+1@%'",
      JSON.stringify({ note: "'".repeat(2_000) }),
      team.id,
    )
    await team.api.post(`/campaigns/${id}/send`)
    await eventually(async () => {
      expect((await read(team, id)).counts).toMatchObject({ delivered: 1, failed: 1 })
    })
    const { body } = await team.api.get("/emails?status=failed")
    const { body: story } = await team.api.get(`/emails/${body.data[0].id}/explain`)
    expect(story.cause.code).toBe("message_too_large")
  })

  it("whose blocks make too much html cannot be sent or scheduled", async () => {
    const team = await makeTeam()
    const columns = Array(2).fill(Array(40).fill({ kind: "divider" }))
    const blocks = Array(100).fill({ kind: "columns", layout: "1-1", columns })
    const id = await makeCampaign(team, readers(1), { blocks })
    const path = `/campaigns/${id}`
    for (const { status, body } of [
      await team.api.post(`${path}/send`),
      await team.api.post(`${path}/schedule`, { scheduledAt: inAnHour() }),
    ]) {
      expect([status, body.error?.details[0].path]).toEqual([400, ["blocks"]])
    }
    expect((await read(team, id)).status).toBe("draft")
  })

  it("counts each opener and clicker once where it tracks", async () => {
    const team = await makeTeam()
    const blocks = [{ kind: "button", label: "Go", url: "https://example.com/go" }]
    const tracks = { trackOpens: true, trackClicks: true, blocks }
    const id = await makeCampaign(team, readers(2), tracks)
    await team.api.post(`/campaigns/${id}/send`)
    await eventually(async () => expect((await read(team, id)).counts.delivered).toBe(2))
    const { body } = await team.api.get("/sandbox/messages")
    for (const userAgent of ["One/1", "Two/2"]) {
      for (const url of body.data[0].links.filter((link: string) => link.includes("/t/"))) {
        await request("GET", new URL(url).pathname, undefined, { "user-agent": userAgent })
      }
    }
    await eventually(async () => {
      expect((await read(team, id)).counts).toMatchObject({ opened: 1, clicked: 1 })
    })
  })

  it("with an empty audience is sent and completed with zeros", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const [address] = readers(1) as [string]
    const id = await makeCampaign(team, [address])
    await team.api.post("/suppressions", { email: address })
    await team.api.post(`/campaigns/${id}/send`)
    await eventually(async () => {
      expect((await told(team)).map(({ type }) => type)).toEqual([
        "campaign.sent",
        "campaign.completed",
      ])
    })
    const { status, counts, sentAt } = await read(team, id)
    expect(status).toBe("sent")
    expect(sentAt).not.toBeNull()
    expect(new Set(Object.values(counts))).toEqual(new Set([0]))
  })

  it("starts at its time, or tells the reason if it no longer can", async () => {
    const team = await makeTeam()
    const ids = [await makeCampaign(team, readers(1)), await makeCampaign(team, readers(1))]
    for (const id of ids)
      await team.api.post(`/campaigns/${id}/schedule`, { scheduledAt: inAnHour() })
    const driver = createDriver()
    await driver.pass()
    await driver.drain()
    expect((await read(team, ids[0]!)).status).toBe("scheduled")
    await rows("update campaigns set book_id = 'cb_gone' where id = ?", ids[1])
    driver.clock.advance(3_600_000)
    await driver.pass()
    await driver.drain()
    expect(await read(team, ids[0]!)).toMatchObject({ status: "sent", counts: { delivered: 1 } })
    expect(await read(team, ids[1]!)).toMatchObject({
      status: "draft",
      scheduledAt: null,
      pausedReason: "Contact book not found.",
    })
  })

  it("starts at its time by a clock that is 200 ms behind", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(1))
    const driver = createDriver()
    const ref = await start(team, id)
    await rows("update campaigns set scheduled_at = ? where id = ?", driver.clock.now() + 200, id)
    await advanceCampaign(driver.work, ref)
    expect((await read(team, id)).status).toBe("sent")
  })

  it("has its layouts as they were when it started", async () => {
    const team = await makeTeam()
    const layoutId = newId("layout")
    const save = (text: string) =>
      rows(
        `insert into layouts (team_id, id, name, blocks, theme, created_at, updated_at)
         values (?1, ?2, 'L', ?3, '{"font":"mono"}', 0, 0)
         on conflict do update set blocks = excluded.blocks`,
        team.id,
        layoutId,
        JSON.stringify([{ kind: "heading", level: 1, text }]),
      )
    await save("Before")
    const id = await makeCampaign(team, readers(1), { headerLayoutId: layoutId })
    await save("At the start")
    const driver = createDriver()
    const ref = await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    await save("After")
    await driver.drain()
    const { body } = await team.api.get("/sandbox/messages")
    expect(body.data[0].text).toMatch(/^At the start\n\nHi Ada/)
    expect(body.data[0].html).toContain("Courier")
    expect(ref.campaignId).toBe(id)
  })

  it("has the body of the start that won, though an older start stores a large body later", async () => {
    const team = await makeTeam()
    const large = (word: string) =>
      Array.from({ length: 10 }, () => ({
        kind: "text",
        html: `${word} ${randomBytes(6_000).toString("base64")}`,
      }))
    const id = await makeCampaign(team, readers(1), { blocks: large("Before") })
    const driver = createDriver()
    const readScheduled = async () => {
      await start(team, id)
      const [row] = await selectCampaign(driver.work, team.id, id)
      return row as CampaignWithRun
    }
    const older = await readScheduled()
    await team.api.patch(`/campaigns/${id}`, { blocks: large("After") })
    expect(await startScheduled(driver.work, older)).toBe(false)
    expect((await read(team, id)).status).toBe("draft")
    expect(await startScheduled(driver.work, await readScheduled())).toBe(true)
    expect(await startScheduled(driver.work, older)).toBe(false)
    await advanceCampaign(driver.work, { teamId: team.id, campaignId: id })
    await driver.drain()
    const { body } = await team.api.get("/sandbox/messages")
    expect(body.data[0].text.slice(0, 6)).toBe("After ")
    const { objects } = await env.CONTENT.list({ prefix: `campaigns/${team.id}/${id}` })
    expect(objects).toHaveLength(1)
  })
})

it("a start that comes late does not send a campaign that has become a draft meanwhile", async () => {
  const team = await makeTeam()
  const id = await makeCampaign(team, readers(1))
  const { work } = createDriver()
  await start(team, id)
  const row = (await selectCampaign(work, team.id, id))[0] as CampaignWithRun
  const fail = async () => {
    await env.DB.prepare("update domains set status = 'pending' where team_id = ?")
      .bind(team.id)
      .run()
    expect(await startScheduled(work, row)).toBe(false)
  }
  const DB = interruptedDb(/insert into "campaign_bodies"/, fail)
  expect(await startScheduled(testWork({ settings: { DB } }).work, row)).toBe(false)
  expect(await read(team, id)).toMatchObject({
    status: "draft",
    pausedReason: expect.stringContaining("not verified"),
  })
})

describe("fan-out", () => {
  it("of two consumers that have read the same batch mails it once", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(3))
    const { work } = createDriver()
    const ref = await start(team, id)
    const readRow = async () => (await selectCampaign(work, team.id, id))[0] as CampaignWithRun
    await startScheduled(work, await readRow())
    const [row, audience] = [await readRow(), await selectAudience(work, ref)]
    const both = [mailBatch(work, row, audience), mailBatch(work, row, audience)]
    expect((await Promise.all(both)).toSorted()).toEqual([false, true])
    const [{ emails }] = await rows(
      "select count(*) as emails from emails where campaign_id = ?",
      id,
    )
    expect(emails).toBe(3)
  })

  it("mails nobody who joins, leaves or is suppressed during the fan-out", async () => {
    const team = await makeTeam()
    const addresses = readers(250)
    const id = await makeCampaign(team, addresses)
    const driver = createDriver()
    await start(team, id)
    const { bookId } = await read(team, id)
    let changed = false
    const batch = driver.work.db.batch.bind(driver.work.db)
    // between the first page and the second, by the hand of the test
    driver.work.db.batch = (async (queries: never) => {
      const results = await batch(queries)
      const [{ recipients }] = await rows(
        "select recipients from campaign_runs where campaign_id = ?",
        id,
      )
      if (recipients === 100 && !changed) {
        changed = true
        const book = `/contact-books/${bookId}/contacts`
        expect((await team.api.post(book, { email: "late@example.com" })).status).toBe(201)
        // not reached yet; queued already
        await team.api.post("/contacts/unsubscribe", { email: addresses[0] })
        await team.api.post("/contacts/unsubscribe", { email: addresses[249] })
        await team.api.post("/suppressions", { email: addresses[1] })
        await team.api.post("/suppressions", { email: addresses[248] })
      }
      return results
    }) as never
    await driver.pass()
    await driver.drain()
    expect(changed).toBe(true)
    const { body } = await team.api.get("/sandbox/messages?limit=100")
    const inbox = await rows("select recipients from sandbox_messages where team_id = ?", team.id)
    const mailed = inbox.map(({ recipients }) => JSON.parse(recipients)[0])
    expect(body.data).toHaveLength(100)
    expect(mailed.toSorted()).toEqual(addresses.slice(2, 248).toSorted())
    const cancelled = (await team.api.get(`/emails?campaignId=${id}&status=cancelled`)).body.data
    expect(cancelled.map(({ to }: { to: string[] }) => to[0]).toSorted()).toEqual(
      addresses.slice(248).toSorted(),
    )
    const reasons = await rows(
      "select data ->> 'reason' as reason from email_events where team_id = ? and type = 'cancelled' order by 1",
      team.id,
    )
    expect(reasons.map(({ reason }) => reason)).toEqual(["suppressed_recipient", "unsubscribed"])
    expect((await read(team, id)).counts).toMatchObject({ recipients: 248, delivered: 246 })
  })

  it("by many consumers at once mails each contact once", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(230))
    const driver = createDriver()
    const ref = await start(team, id)
    await driver.pass()
    driver.queues.CAMPAIGNS.sent.push(
      ...Array.from({ length: 5 }, () => ({
        message: { kind: "campaigns" as const, campaigns: [ref] },
        delaySeconds: 0,
      })),
    )
    const running = driver.queues.CAMPAIGNS.sent.map(() => driver.takeMessages("CAMPAIGNS"))
    await Promise.all(running)
    await driver.drain()
    const emails = await rows(
      "select id, created_at, recipients from emails where campaign_id = ?",
      id,
    )
    for (const email of emails) expect(email.created_at).toBe(timeOf(email.id))
    expect(new Set(emails.map(({ recipients }) => recipients)).size).toBe(230)
    expect(emails).toHaveLength(230)
    expect((await read(team, id)).counts.recipients).toBe(230)
  })

  it("stops when the campaign is cancelled, and cancels what is queued", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const id = await makeCampaign(team, readers(1_000))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.takeMessages("CAMPAIGNS")
    const { work } = driver
    const [page] = await rows("select emails from campaign_batches where campaign_id = ?", id)
    const refs = JSON.parse(page.emails).map((emailId: string) => ({ teamId: team.id, emailId }))
    await dispatchEmails(work, refs, { bulk: true })
    expect((await team.api.post(`/campaigns/${id}/cancel`)).body.status).toBe("cancelled")
    await driver.drain()
    const statuses = await rows(
      "select status, count(*) as count from emails where campaign_id = ? group by status order by 1",
      id,
    )
    expect(statuses).toEqual([
      { status: "cancelled", count: 800 },
      { status: "delivered", count: 100 },
    ])
    expect(await told(team)).toEqual([])
    expect((await read(team, id)).counts).toMatchObject({ recipients: 900, delivered: 100 })
  })

  it("that is cancelled takes no slot of the rate limit", async () => {
    const { id, ref } = await fanOut(readers(250))
    await rows("update campaigns set status = 'cancelled' where id = ?", id)
    const { work } = testWork({ settings: { SEND_RATE: "0.01" } })
    await advanceCampaign(work, ref)
    const statuses = await rows(
      "select status, count(*) as count from emails where campaign_id = ? group by status",
      id,
    )
    expect(statuses).toEqual([{ status: "cancelled", count: 250 }])
    expect(await rows("select id from campaign_batches where campaign_id = ?", id)).toEqual([])
  })

  it("is continued by one message of the sweep when the queue lost all", async () => {
    const { team, id, driver } = await fanOut(readers(250))
    driver.lose()
    await driver.pass()
    expect(driver.queues.SENDS_BULK.sent).toHaveLength(1)
    await driver.drain()
    expect((await read(team, id)).counts.delivered).toBe(250)
    await driver.pass()
    expect(driver.queues.SENDS_BULK.sent).toEqual([])
  })

  it("goes on although a clock that was ahead once set its time", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(3))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    driver.lose()
    await env.DB.prepare("update campaign_runs set due_at = ? where campaign_id = ?")
      .bind(driver.clock.now() + 20 * 3_600_000, id)
      .run()
    await env.DB.prepare("update campaigns set status = 'sending' where id = ?").bind(id).run()
    await driver.pass()
    await driver.drain()
    expect((await read(team, id)).status).toBe("sent")
  })

  it("sends nothing to contacts of a deleted book that are still stored", async () => {
    const { team, id, driver } = await fanOut(readers(3))
    const { bookId } = (await team.api.get(`/campaigns/${id}`)).body
    await env.DB.prepare("delete from contact_books where team_id = ? and id = ?")
      .bind(team.id, bookId)
      .run()
    await driver.drain()
    expect((await team.api.get("/sandbox/messages")).body.data).toEqual([])
    const { data } = (await team.api.get(`/emails?campaignId=${id}`)).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill("cancelled"))
  })

  it("loses no email to a consumer with a slow clock", async () => {
    const { team, id, driver } = await fanOut(readers(3))
    driver.clock.advance(-1_000)
    await driver.drain()
    driver.clock.advance(1_000)
    await driver.pass()
    await driver.drain()
    expect((await read(team, id)).counts.delivered).toBe(3)
  })

  it("keeps the rest of a batch that is sent in parts", async () => {
    const { team, id, driver } = await fanOut(readers(30))
    driver.lose()
    const { work } = testWork({ settings: { SEND_RATE: "20" } })
    expect(await sendBacklog(work, { bulk: true, until: Date.now() + 700 })).toBe(1)
    const queued = await rows(
      "select id from emails where campaign_id = ? and status = 'queued' order by id",
      id,
    )
    expect(queued.length).toBeGreaterThan(0)
    expect(queued.length).toBeLessThan(30)
    const [page] = await rows("select emails from campaign_batches where campaign_id = ?", id)
    expect(JSON.parse(page.emails).toSorted()).toEqual(queued.map((email) => email.id))
    expect(await sendBacklog(work, { bulk: true })).toBe(0)
    expect(await rows("select id from campaign_batches where campaign_id = ?", id)).toEqual([])
    await eventually(async () => expect((await read(team, id)).counts.sent).toBe(30))
  })

  it("costs no more rows per message than transactional mail", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(100))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    const campaign = await metered(() => driver.drain(["CAMPAIGNS"]))
    const [page] = await rows("select emails from campaign_batches where campaign_id = ?", id)
    const items = Array.from({ length: 100 }, (_, index) => ({
      from: `news@${team.domain}`,
      to: readers(100)[index],
      subject: "Hello",
      text: "Hi",
      scheduledAt: inAnHour(),
    }))
    const transactional = await metered(() => team.api.post("/emails/batch", items))
    expect(JSON.parse(page.emails)).toHaveLength(100)
    // beside its rows a page moves the campaign's cursor, and the last step ends the campaign
    expect(campaign.rowsWritten).toBeLessThanOrEqual(300 + 15)
    expect(campaign.rowsWritten).toBeLessThan(transactional.rowsWritten)
    const sending = await metered(() =>
      sendBacklog(driver.work, {
        bulk: true,
        until: driver.clock.now() + 1,
        provider: {
          name: "sandbox",
          async send({ emailId }) {
            driver.clock.advance(1)
            return { ok: true, providerMessageId: emailId, acceptedAt: 1 }
          },
        },
      }),
    )
    expect(sending.roundTrips).toBe(2)
    expect(sending.rowsWritten).toBeLessThanOrEqual(400 + 6)
  })
})

describe("the end", () => {
  const mailboxes = [
    "success",
    "ooto",
    "bounce",
    "softbounce",
    "complaint",
    "notspam",
    "suppressionlist",
    "delay",
    "reject",
    "flaky",
  ]
  it.each([
    [200, 0],
    [40, 3],
  ])(
    "of %i contacts of every outcome, killed %i times, is one tally: that of the log",
    async (size, kills) => {
      const team = await makeTeam()
      await addWebhook(team)
      const addresses = mailboxes.flatMap((mailbox) => readers(size / mailboxes.length, mailbox))
      const id = await makeCampaign(team, addresses)
      let batches = 0
      let killed = 0
      // spread over the fan-out and the sending, before a commit and after one
      const driver = createDriver(() => ++batches % 23 === 0 && killed < kills && ++killed > 0)
      await start(team, id)
      for (let minute = 0; minute < 20 && (await told(team)).length < 2; minute++) {
        try {
          await driver.pass()
          await driver.drain()
        } catch {
          driver.lose()
        }
      }
      expect(killed).toBe(kills)
      const { counts } = await read(team, id)
      const { unsubscribed, ...counted } = counts
      expect(counted).toEqual(await tally(id))
      expect(counted).toEqual({
        recipients: size,
        sent: size * 0.9,
        delivered: size * 0.6,
        opened: 0,
        clicked: 0,
        bounced: size * 0.3,
        complained: size * 0.2,
        failed: size * 0.1,
        replied: 0,
      })
      const events = await told(team)
      expect(events.map(({ type }) => type)).toEqual(["campaign.sent", "campaign.completed"])
      expect(events[1]?.campaign).toMatchObject({ id, status: "sent", counts })
      const inbox = await rows("select recipients from sandbox_messages where team_id = ?", team.id)
      expect(inbox).toHaveLength(size * 0.9)
      expect(new Set(inbox.map(({ recipients }) => recipients)).size).toBe(size * 0.9)
      const [{ open }] = await rows("select open from campaign_runs where campaign_id = ?", id)
      expect([open, unsubscribed]).toEqual([0, 0])
      expect(await rows("select id from campaign_batches where campaign_id = ?", id)).toEqual([])
    },
    180_000,
  )

  it("does not come while mail is open, whoever asks for it", async () => {
    const { team, id, driver } = await fanOut(readers(2))
    const [row] = (await selectCampaign(driver.work, team.id, id)) as [CampaignWithRun]
    expect([row.status, row.open]).toEqual(["sent", 2])
    await completeCampaign(driver.work, row)
    const [run] = await rows("select completed_at from campaign_runs where campaign_id = ?", id)
    expect(run).toEqual({ completed_at: null })
  })

  it("is reported once, after every recipient has an outcome", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const id = await makeCampaign(team, [...readers(3), ...readers(1, "stuck")])
    const driver = createDriver()
    await start(team, id)
    for (let minute = 0; minute < 5; minute++) {
      await driver.pass()
      await driver.drain()
    }
    expect((await told(team)).map(({ type }) => type)).toEqual(["campaign.sent"])
    expect((await read(team, id)).counts).toMatchObject({ sent: 4, delivered: 3 })
  })

  it("comes by the sweep where a process dies after it found nobody to mail", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, [])
    await rows("update campaigns set status = 'sending' where id = ?", id)
    const driver = createDriver()
    const [row] = await selectCampaign(driver.work, team.id, id)
    await endFanOut(driver.work, row!)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    const [run] = await rows("select * from campaign_runs where campaign_id = ?", id)
    expect(run.completed_at).not.toBeNull()
  })

  it("is reported for a campaign deleted while sending, which is purged afterwards", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const id = await makeCampaign(team, [...readers(2), ...readers(1, "flaky")])
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS", "OUTCOMES"])
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    expect((await team.api.get(`/campaigns/${id}`)).status).toBe(404)
    expect((await team.api.get("/campaigns")).body.data).toEqual([])
    for (let minute = 0; minute < 4; minute++) {
      await driver.drain()
      await driver.pass()
    }
    const emails = await rows("select status from emails where campaign_id = ?", id)
    expect(emails.map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"])
    expect((await told(team)).map(({ type }) => type)).toEqual([
      "campaign.sent",
      "campaign.completed",
    ])
    expect(await rows("select id from campaigns where id = ?", id)).toEqual([])
  })

  it("comes with the last email, also if that one is cancelled", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const id = await makeCampaign(team, readers(1))
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    const { body } = await team.api.get(`/emails?campaignId=${id}`)
    expect((await team.api.post(`/emails/${body.data[0].id}/cancel`)).status).toBe(200)
    await eventually(async () => expect(await told(team)).toHaveLength(2))
    expect((await told(team))[1]?.campaign.counts).toMatchObject({ recipients: 1, sent: 0 })
  })
})

describe("the brake", () => {
  cutOffCampaigns()

  const waves = async (team: Team, id: string, minutes: number, driver = createDriver()) => {
    const seen: number[] = []
    await start(team, id)
    for (let times = 0; times < 8; times++) {
      await driver.pass(minutes)
      await driver.drain(["CAMPAIGNS"])
      const { counts, status, pausedReason } = await read(team, id)
      if (counts.recipients !== seen.at(-1)) seen.push(counts.recipients)
      if (status === "sent" || pausedReason !== null) break
      await driver.drain(["SENDS_BULK", "OUTCOMES"])
    }
    return seen
  }

  it("sends 1 %, then 10 %, then the rest, each after good outcomes", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(300), { brake: true })
    const seen = await waves(team, id, 1)
    expect(seen).toEqual([20, 50, 300])
    expect((await read(team, id)).status).toBe("sent")
  })

  it("pauses a campaign when a wave bounces; a person resumes or cancels it", async () => {
    const team = await makeTeam()
    const addresses = [...readers(400), ...readers(2, "bounce"), ...readers(18, "ooto")]
    const id = await makeCampaign(team, addresses, { brake: true })
    const driver = createDriver()
    expect(await waves(team, id, 1, driver)).toEqual([20])
    expect(await read(team, id)).toMatchObject({
      status: "sending",
      pausedReason: "bounce rate of 10.0 % in a wave of 20 recipients",
      counts: { recipients: 20, bounced: 2 },
    })
    const resumed = await team.api.post(`/campaigns/${id}/resume`)
    expect(resumed.body).toMatchObject({ status: "sending", pausedReason: null })
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    expect((await read(team, id)).counts.recipients).toBeGreaterThan(20)
    expect((await team.api.post(`/campaigns/${id}/cancel`)).body.status).toBe("cancelled")
  })

  it("holds what is queued when it pauses", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(400), { brake: true })
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    await rows(
      "update campaign_runs set wave_sent = 20, wave_bounced = 2 where campaign_id = ?",
      id,
    )
    await driver.pass(31)
    await driver.drain()
    await driver.pass()
    await driver.drain()
    expect(await read(team, id)).toMatchObject({ status: "sending", counts: { sent: 0 } })
    expect((await read(team, id)).pausedReason).toContain("bounce rate")
    expect(await rows("select status from emails where campaign_id = ?", id)).toEqual(
      Array(20).fill({ status: "queued" }),
    )
  })

  it("pauses by a wave of which the provider took less than twenty", async () => {
    const team = await makeTeam()
    const addresses = [...readers(400), ...readers(1, "reject"), ...readers(19, "bounce")]
    const id = await makeCampaign(team, addresses, { brake: true })
    expect(await waves(team, id, 1)).toEqual([20])
    expect((await read(team, id)).pausedReason).toBe(
      "bounce rate of 100.0 % in a wave of 20 recipients",
    )
  })

  it("judges no wave that waits in the queue", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(400), { brake: true })
    const driver = createDriver()
    await start(team, id)
    for (const minutes of [1, 31, 31]) {
      await driver.pass(minutes)
      await driver.drain(["CAMPAIGNS"])
    }
    expect((await read(team, id)).counts.recipients).toBe(20)
    await driver.drain(["SENDS_BULK", "OUTCOMES"])
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    expect((await read(team, id)).counts.recipients).toBe(60)
  })

  it("judges each wave on its own", async () => {
    const team = await makeTeam()
    const addresses = [...readers(200), ...readers(5, "bounce"), ...readers(15, "ooto")]
    const id = await makeCampaign(team, addresses, { brake: true })
    const driver = createDriver()
    expect(await waves(team, id, 1, driver)).toEqual([20])
    await team.api.post(`/campaigns/${id}/resume`)
    await driver.pass()
    await driver.drain()
    expect(await read(team, id)).toMatchObject({
      status: "sent",
      pausedReason: null,
      counts: { recipients: 220, delivered: 215, bounced: 5 },
    })
  })

  it("does not count late outcomes of an earlier wave", async () => {
    const team = await makeTeam()
    const addresses = [...readers(200), ...readers(20, "stuck")]
    const id = await makeCampaign(team, addresses, { brake: true })
    const driver = createDriver()
    expect((await waves(team, id, 20, driver)).slice(0, 2)).toEqual([20, 42])
    const emails = await rows(
      "select id from emails where campaign_id = ? order by id limit 20",
      id,
    )
    await recordEvents(
      driver.work,
      emails.map(({ id: emailId }) =>
        reportOf({ teamId: team.id, emailId }, "bounced", Date.now(), {
          bounceType: "Transient",
        }),
      ),
    )
    const [run] = await rows("select * from campaign_runs where campaign_id = ?", id)
    expect(run).toMatchObject({ bounced: 20, wave_bounced: 0, paused_reason: null })
  })

  it("ends when the book is exhausted, without waiting for a wave's outcomes", async () => {
    const team = await makeTeam()
    await addWebhook(team)
    const addresses = [...readers(1), ...readers(20, "ooto")]
    const id = await makeCampaign(team, addresses, { brake: true })
    const driver = createDriver()
    await start(team, id)
    await driver.pass()
    await driver.drain(["CAMPAIGNS"])
    await team.api.post("/contacts/unsubscribe", { email: addresses[0] })
    await driver.pass(30)
    await driver.drain(["CAMPAIGNS"])
    expect((await read(team, id)).status).toBe("sent")
    await driver.drain()
    expect((await told(team)).map(({ type }) => type)).toEqual([
      "campaign.sent",
      "campaign.completed",
    ])
  })

  it("judges at once when the last outcome comes while the wait begins", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(1), { brake: true })
    await rows("update campaigns set status = 'sending' where id = ?", id)
    await rows("update campaign_runs set wave_open = 1, wave_sent = 20 where campaign_id = ?", id)
    const { work, clock } = createDriver()
    const [stale] = await selectCampaign(work, team.id, id)
    await rows("update campaign_runs set wave_open = 0 where campaign_id = ?", id)
    expect(await judgeWave(work, stale!)).toBe("waits")
    const [fresh] = await selectCampaign(work, team.id, id)
    expect(fresh?.dueAt).toBe(clock.now())
  })

  it("does not pause a campaign that is cancelled meanwhile", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(1), { brake: true })
    await rows("update campaigns set status = 'sending' where id = ?", id)
    await rows(
      "update campaign_runs set wave_sent = 20, wave_bounced = 5 where campaign_id = ?",
      id,
    )
    const { work } = createDriver()
    const [stale] = await selectCampaign(work, team.id, id)
    await team.api.post(`/campaigns/${id}/cancel`)
    expect(await judgeWave(work, stale!)).toBe("goes on")
    expect(await read(team, id)).toMatchObject({ status: "cancelled", pausedReason: null })
  })

  it("does not wait for an outcome forever", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, [...readers(100), ...readers(1, "stuck")], { brake: true })
    const seen = await waves(team, id, 20)
    expect(seen.slice(0, 2)).toEqual([20, 40])
  })

  it("waits for outcomes anew after a pause by hand", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(100, "stuck"), { brake: true })
    const driver = createDriver()
    expect(await waves(team, id, 1, driver)).toEqual([20])
    const as = () => createKeyCtx(driver.work, sha256Hex(team.api.key), "full")
    await pauseCampaign(as(), id)
    await driver.pass(40)
    await driver.drain(["CAMPAIGNS"])
    await resumeCampaign(as(), id)
    await driver.drain(["CAMPAIGNS"])
    expect((await read(team, id)).counts.recipients).toBe(20)
  })

  it("waits from now on if a clock that was ahead noted the end of the wave", async () => {
    const team = await makeTeam()
    const id = await makeCampaign(team, readers(100, "stuck"), { brake: true })
    const driver = createDriver()
    expect(await waves(team, id, 1, driver)).toEqual([20])
    const ahead = driver.clock.now() + 20 * 3_600_000
    await env.DB.prepare(
      "update campaign_runs set wave_ended_at = ?1, due_at = ?1 where campaign_id = ?2",
    )
      .bind(ahead, id)
      .run()
    for (const minutes of [1, 31]) {
      await driver.pass(minutes)
      await driver.drain(["CAMPAIGNS"])
    }
    expect((await read(team, id)).counts.recipients).toBe(40)
  })
})

describe("bulk mail", () => {
  it("does not use the queue of transactional mail", async () => {
    const { driver, team } = await fanOut(readers(100))
    const sent = driver.queues.SENDS.sent.map(({ message }) => JSON.stringify(message))
    expect(sent.filter((message) => message.includes(team.id))).toEqual([])
    expect(driver.queues.SENDS_BULK.sent.length).toBeGreaterThan(0)
  })
})
