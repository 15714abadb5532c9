import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { newId } from "../../../src/lib/id.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import type { QueueMessage } from "../../../src/worker/consume.ts"
import { recordEvents } from "../../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../../src/worker/emails/outcomes/report.ts"
import { eraseAddress, sweepErasures } from "../../../src/worker/erasure/erase.ts"
import { eraseTexts } from "../../../src/worker/erasure/texts.ts"
import { DIRECTORY, workIn } from "../../../src/worker/platform/db/databases.ts"
import {
  keepDeadLetters,
  sweepDeadLetters,
} from "../../../src/worker/platform/queues/dead-letters.ts"
import { erasedForm } from "../../../src/worker/suppressions/erased.ts"
import { noteDeadLetters } from "../../../src/worker/teams/notices/keep.ts"
import { makeCampaign } from "../../support/campaign.ts"
import { createDriver } from "../../support/driver.ts"
import { eventually } from "../../support/eventually.ts"
import { directory } from "../../support/installation.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { acceptForLater } from "../../support/mail.ts"
import { metered } from "../../support/meter.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"
import { dispatch, HOUR, MINUTE, openDashboard, setUp, subscribe } from "../webhooks/carrying.ts"

const ADA = "ada@example.com"
const ERASED = erasedForm(testWork().work.settings, ADA)

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

type Driver = ReturnType<typeof createDriver>

const erase = async (team: Team, { work }: Pick<Driver, "work">, address = ADA) => {
  const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
  const erased = await eraseAddress(ctx, address)
  await sweepErasures(work)
  return erased
}

/** The directory has the dead letters of all databases. */
const homeOf = (table: string) => (table === "dead_letters" ? directory : env.DB)

/** Tables of which a row of this team, or of anybody's dead letters, still names the address. */
async function traces(team: Team, word = ADA): Promise<string[]> {
  const { results: tables } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\' and name not like 'd1_%'",
  ).all<{ name: string }>()
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const { results } = await homeOf(name).prepare(`select * from "${name}"`).all()
      const theirs = results.filter((row) => JSON.stringify(row).includes(team.id))
      const text = JSON.stringify(theirs).toLowerCase().replaceAll("nada@example.com", "")
      const spellings = [word, word.replace("@", "%40"), word.replace("@", "%2540")]
      return spellings.some((one) => text.includes(one.toLowerCase())) ? [name] : []
    }),
  )
  return found.flat()
}

const stored = async (table: string, emailId: string) =>
  (await env.DB.prepare(`select * from ${table} where email_id = ?`).bind(emailId).all()).results

/** An email that is due now and carried by the test's driver alone. */
async function send(team: Team, driver: Driver, input: object = {}) {
  const emailId = await acceptForLater(team, { to: `Ada Byron <${ADA}>`, ...input })
  await env.DB.prepare("update emails set status = 'queued', not_before = 0 where id = ?")
    .bind(emailId)
    .run()
  driver.queues.SENDS.sent.push({
    message: { kind: "sends", teams: [team.id], dueAt: 0 },
    delaySeconds: 0,
  })
  await driver.drain()
  return { teamId: team.id, emailId }
}

describe("the record of an email to an erased address", () => {
  it("does not contain it: neither the fields of the caller nor the reports", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    const ref = await send(team, driver, {
      to: [`Ada Byron <${ADA}>`, `"${ADA} c/o" <bob@example.com>`],
      from: `ada@${team.domain}`,
      replyTo: [`Ada <Ada@example.com>`, "help@example.com"],
      subject: "For ADA@Example.com, not nada@example.com",
      tags: { user: "Ada@example.com", kind: "welcome" },
      idempotencyKey: `welcome-${ADA}`,
    })
    const { work } = driver
    const url = "https://a.test/?e=Ada%40EXAMPLE.com&x=1"
    await recordEvents(work, [
      reportOf(ref, "clicked", work.now(), { url, ip: "192.0.2.1", userAgent: "Ada's" }),
      reportOf(ref, "delayed", work.now(), { reason: `450 <${ADA}> is busy` }),
    ])
    const error = "450 <ADA@example.com>"
    await env.DB.prepare("update emails set last_error = ?, faults = ? where id = ?")
      .bind(error, JSON.stringify([{ at: 1, answer: error }]), ref.emailId)
      .run()

    expect(await erase(team, driver)).toEqual({ contacts: 0, emails: 1 })

    expect(await traces(team)).toEqual([])
    const { body } = await team.api.get(`/emails/${ref.emailId}`)
    expect(JSON.stringify(body)).not.toContain("Byron")
    expect(body).toMatchObject({
      from: `ada@${team.domain}`,
      to: [ERASED, `"${ERASED} c/o" <bob@example.com>`],
      replyTo: [ERASED, "help@example.com"],
      subject: `For ${ERASED}, not nada@example.com`,
      tags: { user: ERASED, kind: "welcome" },
      lastError: `450 <${ERASED}>`,
    })
    const clicked = body.events.find(({ type }: { type: string }) => type === "clicked")
    expect(clicked).toMatchObject({ url: `https://a.test/?e=${ERASED}&x=1` })
    expect(Object.keys(clicked).sort()).toEqual(["id", "occurredAt", "type", "url"])
    expect((await team.api.get(`/emails?tag=user:${ERASED}`)).body.data).toHaveLength(1)
    expect((await team.api.get("/emails?tag=kind:welcome")).body.data).toHaveLength(1)
    expect(await stored("email_contents", ref.emailId)).toEqual([])
    expect(await stored("sandbox_messages", ref.emailId)).toEqual([])
  })

  it("shows a campaign's subject with its fallbacks alone", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    const subject = "{{ firstName }}, news of {{ properties.city }} for {{ email }}"
    const mergeDefaults = { firstName: "Reader" }
    const id = await makeCampaign(team, [ADA, "bob@example.com"], { subject, mergeDefaults })
    const { emails } = await sendCampaign(team, driver, id)
    expect(emails[ADA].subject).toBe(`Ada, news of London for ${ADA}`)

    await erase(team, driver)

    const { body } = await team.api.get(`/emails/${emails[ADA].id}`)
    expect(body.subject).toBe("Reader, news of  for ")
    const bobs = await team.api.get(`/emails/${emails["bob@example.com"].id}`)
    expect(bobs.body.subject).toBe("Ada, news of London for bob@example.com")
  })

  it("shows no subject of a deleted campaign", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    const id = await makeCampaign(team, [ADA])
    const { emails } = await sendCampaign(team, driver, id)
    await driver.drain()
    expect((await team.api.delete(`/campaigns/${id}`)).status).toBe(204)
    await erase(team, driver)
    expect((await team.api.get(`/emails/${emails[ADA].id}`)).body.subject).toBe("(erased)")
  })

  it("keeps late reports without the address, and they do not suppress it again", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    await subscribe(team, internet.receiver().url, ["email.bounced", "email.clicked"])
    const ref = await send(team, driver, { to: [ADA, "bob@example.com"] })
    await erase(team, driver)
    const { work } = driver
    const now = work.now() + 1_000
    const report = { bounceType: "Permanent" as const, diagnosticCode: `550 <${ADA}>` }
    const from = { userAgent: "Ada's", ip: "192.0.2.1" }
    await recordEvents(work, [
      reportOf(ref, "bounced", now, { ...report, recipients: [ADA] }, ADA),
      reportOf(ref, "bounced", now + 1, { ...report, recipients: ["bob@example.com"] }, "bob"),
      reportOf(ref, "clicked", now + 2, { url: `https://a.test/?e=${ADA}`, ...from }),
      reportOf(ref, "failed", now + 3, { reason: `550 <${ADA}>` }),
    ])
    expect(await traces(team)).toEqual([])
    const { body } = await team.api.get(`/emails/${ref.emailId}`)
    const late = body.events.slice(-4)
    for (const entry of late) {
      delete entry.id
      delete entry.occurredAt
    }
    expect(late).toEqual([
      { type: "bounced", bounceType: "Permanent", recipients: [ERASED] },
      { type: "bounced", bounceType: "Permanent", recipients: ["bob@example.com"] },
      { type: "clicked" },
      { type: "failed" },
    ])
    const { body: listed } = await team.api.get("/suppressions")
    expect(listed.data.map(({ email, reason }: Record<string, string>) => [email, reason])).toEqual(
      expect.arrayContaining([
        [ERASED, "manual"],
        ["bob@example.com", "bounce"],
      ]),
    )
    expect(listed.data).toHaveLength(2)
  })
})

describe("two addresses of an email that are erased at once", () => {
  const BOB = "bob@example.com"

  it.each([
    ["the email is", "update emails set", { to: [`Ada <${ADA}>`, BOB] }],
    ["the timeline is", "update email_events set", { to: [ADA, BOB] }],
    ["the timeline is, for its reply-to,", "update email_events set", { to: BOB, replyTo: ADA }],
  ])("both go although the other is erased while %s rewritten", async (_, statement, fields) => {
    const { team, work } = await setUp()
    await subscribe(team, internet.receiver().url, ["email.delivered"])
    const words = `${ADA} and ${BOB}`
    const emailId = await acceptForLater(team, { subject: words, tags: { pair: words }, ...fields })
    await recordEvents(work, [
      reportOf({ teamId: team.id, emailId }, "delivered", work.now(), { recipients: [ADA, BOB] }),
    ])
    const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
    const DB = interruptedDb(new RegExp(statement), () => eraseAddress(ctx, BOB))
    await erase(team, testWork({ settings: { DB } }))
    await sweepErasures(work)
    expect(await traces(team, BOB)).toEqual([])
    if (!("replyTo" in fields)) expect(await traces(team)).toEqual([])
  })
})

describe("two addresses in one text that are erased at once", () => {
  const BOB = "bob@example.com"
  const WORDS = `${ADA} and ${BOB}`
  const insertRows: Record<string, (team: Team) => Promise<unknown>> = {
    audit_log: (team) =>
      env.DB.prepare(
        "insert into audit_log (team_id, id, at, actor_type, action, label, changes) values (?1, 'al', 1, 'user', 'topics.update', ?2, ?3)",
      )
        .bind(team.id, WORDS, JSON.stringify({ description: [null, WORDS] }))
        .run(),
    campaign_runs: async (team) => {
      const id = await makeCampaign(team, [])
      await env.DB.prepare("update campaign_runs set segment_filter = ? where campaign_id = ?")
        .bind(JSON.stringify({ all: [{ field: "email", op: "contains", value: WORDS }] }), id)
        .run()
    },
    dead_letters: async (team) => {
      const emailId = await acceptForLater(team, { to: [ADA, BOB] })
      const data = { recipients: [ADA, BOB] }
      const events = [reportOf({ teamId: team.id, emailId }, "delivered", Date.now(), data)]
      await directory
        .prepare("insert into dead_letters values (?, 'outcomes', ?, 1, null, null)")
        .bind(newId("deadLetter"), JSON.stringify({ kind: "outcomes", events }))
        .run()
    },
  }

  it.each(Object.keys(insertRows))("both go although one process is late in %s", async (table) => {
    const team = await makeTeam()
    await insertRows[table]?.(team)
    expect(await traces(team)).toContain(table)
    // The erasure of Cloudflare's reports is one statement, without the quotes of the builder.
    const db = interruptedDb(
      new RegExp(`update "${table}"`),
      () => erase(team, testWork(), BOB),
      homeOf(table),
    )
    const settings = homeOf(table) === env.DB ? { DB: db } : { DIRECTORY: db }
    await erase(team, testWork({ settings }))
    await sweepErasures(testWork().work)
    expect([await traces(team), await traces(team, BOB)]).toEqual([[], []])
  })
})

describe("campaign mail to an erased address", () => {
  it("that is queued does not go out", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    const id = await makeCampaign(team, [ADA, "bob@example.com"])
    const { emails } = await sendCampaign(team, driver, id, { dispatch: false })
    expect(await erase(team, driver)).toEqual({ contacts: 1, emails: 1 })
    await driver.drain()
    expect((await team.api.get(`/emails/${emails[ADA].id}`)).body.status).toBe("cancelled")
    const inbox = await team.api.get("/sandbox/messages")
    expect(inbox.body.data.map(({ envelope }: { envelope: object }) => envelope)).toMatchObject([
      { to: ["bob@example.com"] },
    ])
    expect((await team.api.get(`/campaigns/${id}`)).body.counts).toMatchObject({
      recipients: 2,
      sent: 1,
    })
    expect(await traces(team)).toEqual([])
  })

  it.each([
    ["", "status = 'sending'"],
    ["though it was cancelled by then, ", "status = 'cancelled', not_before = 1e15"],
  ])("that is just being handed over, %sleaves nothing when that has ended", async (_, state) => {
    const team = await makeTeam()
    const driver = createDriver()
    const ref = await send(team, driver)
    const set = (change: string) =>
      env.DB.prepare(`update emails set ${change} where id = ?`).bind(ref.emailId).run()
    const [message] = await stored("sandbox_messages", ref.emailId)
    await set(state)
    await erase(team, driver)
    await env.DB.prepare(
      "insert into sandbox_messages (team_id, email_id, sender, recipients, body, created_at) values (?, ?, ?, ?, ?, ?)",
    )
      .bind(team.id, ref.emailId, message?.sender, message?.recipients, message?.body, 1)
      .run()
    await sweepErasures(driver.work)
    expect(await stored("sandbox_messages", ref.emailId)).toEqual([])
    await set("status = 'sent', not_before = 0")
    await sweepErasures(driver.work)
    expect(await traces(team)).toEqual([])
  })
})

describe("an event of an erased address", () => {
  it("is rewritten for pending deliveries, and the answers of receivers are deleted", async () => {
    const { team, clock, work, carried } = await setUp()
    const dashboard = openDashboard(team)
    const receiver = internet.receiver(({ body }) => new Response(body, { status: 500 }))
    const { id: webhookId } = await subscribe(team, receiver.url, [
      "email.delivered",
      "email.clicked",
    ])
    const emailId = await acceptForLater(team, {
      to: [`Ada Byron <${ADA}>`, "bob@example.com"],
      subject: `For ${ADA}`,
      replyTo: ADA,
      tags: { user: ADA },
    })
    const ref = { teamId: team.id, emailId }
    await recordEvents(work, [
      reportOf(ref, "delivered", work.now(), { recipients: [ADA] }),
      reportOf(ref, "clicked", work.now() + 1, {
        url: `https://a.test/${encodeURIComponent(ADA)}`,
        ip: "192.0.2.1",
        userAgent: "Ada's",
      }),
    ])
    const deliveries = (await carried()).map(({ ref }) => ref)
    await dispatch(work, deliveries)
    expect(receiver.received()).toHaveLength(2)
    expect(receiver.received()[0]?.body).toContain(ADA)

    await erase(team, { work })

    expect(await traces(team)).toEqual([])
    expect(await traces(team, "192.0.2.1")).toEqual([])
    clock.advance(MINUTE)
    await dispatch(work, deliveries)
    const [first, second] = receiver
      .received()
      .slice(2)
      .map(({ body }) => JSON.parse(body).data)
    expect(first.email).toMatchObject({
      id: emailId,
      to: [ERASED, "bob@example.com"],
      replyTo: [ERASED],
      subject: `For ${ERASED}`,
      tags: { user: ERASED },
    })
    expect(first.event).toMatchObject({ type: "delivered", recipients: [ERASED] })
    expect(second.event).toMatchObject({ type: "clicked", url: `https://a.test/${ERASED}` })
    const { body: page } = await dashboard("GET", `/webhooks/${webhookId}/deliveries`)
    const { body: delivery } = await dashboard("GET", `/deliveries/${page.data[0].id}`)
    expect(delivery.attempts).toMatchObject([
      { number: 1, statusCode: 500, responseExcerpt: null },
      { number: 2, statusCode: 500 },
    ])
  })

  it("keeps the reports about others when the address is its reply-to", async () => {
    const { team, work } = await setUp()
    const receiver = internet.receiver(() => new Response(null, { status: 500 }))
    await subscribe(team, receiver.url, ["email.bounced"])
    const emailId = await acceptForLater(team, { to: "bob@example.com", replyTo: ADA })
    const report = { bounceType: "Permanent", diagnosticCode: "550 No such user" } as const
    await recordEvents(work, [
      reportOf({ teamId: team.id, emailId }, "bounced", work.now(), report),
    ])
    await erase(team, { work })
    expect(await traces(team)).toEqual([])
    const [event] = (await team.api.get("/events")).body.data
    expect(event.data).toMatchObject({
      email: { id: emailId, to: ["bob@example.com"], replyTo: [ERASED] },
      event: report,
    })
  })

  it("is deleted from the answers to replays and backfills", async () => {
    const { team, clock, work, carried } = await setUp()
    const receiver = internet.receiver(({ body }) => new Response(body, { status: 500 }))
    const { id } = await subscribe(team, receiver.url, ["email.delivered", "email.clicked"])
    const ref = { teamId: team.id, emailId: await acceptForLater(team, { to: ADA }) }
    clock.advance(-HOUR)
    await recordEvents(work, [
      reportOf(ref, "delivered", work.now(), { recipients: [ADA] }),
      reportOf(ref, "clicked", work.now(), { url: `https://a.test/${ADA}` }),
    ])
    const [first] = await carried()
    await env.DB.prepare(
      "update deliveries set state = 'failed', due_at = null where webhook_id = ?",
    )
      .bind(id)
      .run()
    await openDashboard(team)("POST", `/deliveries/${first?.ref.id}/replay`)
    expect((await team.api.post(`/webhooks/${id}/backfill`, { after: 0 })).body.queued).toBe(1)
    const answers = async () => {
      const { results } = await env.DB.prepare(
        "select attempts from deliveries where webhook_id = ?",
      )
        .bind(id)
        .all<{ attempts: string }>()
      return results.filter(({ attempts }) => attempts.includes(ADA)).length
    }
    await eventually(async () => expect(await answers()).toBe(2))
    await erase(team, { work })
    expect(await answers()).toBe(0)
    expect(await traces(team)).toEqual([])
  })

  it("has only the ids and dates of a contact", async () => {
    const team = await makeTeam()
    const driver = createDriver()
    await subscribe(team, internet.receiver().url, ["contact.created"])
    const { body: book } = await team.api.post("/contact-books", { name: "Book" })
    const path = `/contact-books/${book.id}/contacts`
    const fields = { firstName: "Ada", lastName: "Byron", properties: { phone: "12345" } }
    const { body: ada } = await team.api.post(path, { email: ADA, ...fields })
    await team.api.post(path, { email: "bob@example.com", ...fields })
    await team.api.post("/contacts/unsubscribe", { email: ADA, reason: "Byron is angry" })
    expect(await erase(team, driver)).toEqual({ contacts: 1, emails: 0 })
    expect(await traces(team)).toEqual([])
    const { body: events } = await team.api.get("/events")
    const told = events.data.map(({ sequence, type, data }: Record<string, unknown>) => ({
      sequence,
      type,
      ...(data as { contact: object }).contact,
    }))
    const forgotten = {
      id: ada.id,
      email: ERASED,
      firstName: null,
      lastName: null,
      properties: {},
      unsubscribeReason: null,
    }
    expect(told).toMatchObject([
      { sequence: 1, type: "contact.created", ...forgotten },
      { sequence: 2, type: "contact.created", email: "bob@example.com", lastName: "Byron" },
      { sequence: 3, type: "contact.unsubscribed", ...forgotten, subscribed: false },
    ])
  })
})

describe("an erased address", () => {
  it("is erased from dead letters, and from books that are being deleted", async () => {
    const team = await makeTeam()
    const other = await makeTeam()
    const driver = createDriver()
    const { work } = driver
    const ref = await send(team, driver)
    const theirs = await send(other, driver)
    const data = { recipients: [ADA], ip: "192.0.2.9", url: `https://a.test/?e=${ADA}` }
    const body: QueueMessage = {
      kind: "outcomes",
      events: [ref, theirs].map((one) => reportOf(one, "clicked", work.now(), data)),
    }
    const again = { ...body, replayed: true }
    await keepDeadLetters(work, [
      {
        id: newId("email"),
        timestamp: new Date(),
        body: again,
      } as unknown as Message<QueueMessage>,
    ])
    const bookId = newId("contactBook")
    await env.DB.batch([
      env.DB.prepare("insert into deleted_books values (?, ?)").bind(team.id, bookId),
      env.DB.prepare(
        "insert into contacts (team_id, book_id, id, email, created_at, updated_at) values (?, ?, 'ct_1', ?, 1, 1)",
      ).bind(team.id, bookId, ADA),
    ])
    await erase(team, driver)
    const letter = await directory
      .prepare("select body from dead_letters where body like ?")
      .bind(`%${ref.emailId}%`)
      .first<string>("body")
    const [ours, kept] = JSON.parse(letter ?? "").events
    expect(ours.data).toEqual({ recipients: [ERASED] })
    expect(kept.data).toEqual(data)
    // The letter names the other team's recipient.
    expect((await traces(team)).filter((table) => table !== "dead_letters")).toEqual([])
    expect(await stored("email_contents", theirs.emailId)).toHaveLength(1)
  })
})

it("an erased address does not come back with a dead letter that comes twice", async () => {
  const team = await makeTeam()
  const driver = createDriver()
  const ref = await send(team, driver)
  const events = [reportOf(ref, "delivered", Date.now(), { recipients: [ADA] })]
  const body = { kind: "outcomes", events, replayed: true }
  const letter = { id: newId("email"), timestamp: new Date(), body } as unknown as Message<unknown>
  const clock = makeClock()
  const { work } = testWork({ clock })
  await keepDeadLetters(work, [letter])
  await erase(team, driver)
  clock.advance(60_000)
  await keepDeadLetters(work, [letter])
  await sweepDeadLetters(workIn(work, DIRECTORY), noteDeadLetters)
  expect(await traces(team)).toEqual([])
})

/** As a driver of its own carries it; `dispatch: false` leaves the emails in their queue. */
async function sendCampaign(team: Team, driver: Driver, id: string, { dispatch = true } = {}) {
  await env.DB.batch([
    env.DB.prepare("update campaigns set status = 'scheduled', scheduled_at = 1 where id = ?").bind(
      id,
    ),
    env.DB.prepare("update campaign_runs set due_at = 1 where campaign_id = ?").bind(id),
  ])
  driver.queues.CAMPAIGNS.sent.push({
    message: { kind: "campaigns", campaigns: [{ teamId: team.id, campaignId: id }] },
    delaySeconds: 0,
  })
  await driver.drain(["CAMPAIGNS"])
  if (dispatch) await driver.drain()
  const { body } = await team.api.get(`/emails?campaignId=${id}`)
  const emails = Object.fromEntries(
    body.data.map((one: { to: string[]; id: string; subject: string }) => [one.to[0], one]),
  )
  // biome-ignore lint/suspicious/noExplicitAny: the emails of the reply, by address
  return { emails: emails as Record<string, any> }
}

it("an erasure reads only the rows that it rewrites", async () => {
  const team = await makeTeam()
  const driver = createDriver()
  await subscribe(team, internet.receiver().url, ["contact.created"])
  const { body: book } = await team.api.post("/contact-books", { name: "Book" })
  await team.api.post(`/contact-books/${book.id}/contacts`, { email: ADA })
  await send(team, driver)
  const suffix = newId("event").slice(-10)
  const listed = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)"
  await env.DB.batch(
    [
      `insert into contacts (team_id, book_id, id, email, created_at, updated_at)
       ${listed} select ?1, ?2, 'ct_' || i || ?3, i || '@example.com', 1, 1 from n`,
      `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
       ${listed} select ?1, 'em_' || i || ?3, 'sent', '{}', '[]', ?2, '', 1, 0 from n`,
      `insert into email_events (team_id, email_id, id, type, occurred_at)
       ${listed} select ?1, 'em_' || i || ?3, ?2 || i, 'sent', 1 from n`,
      `insert into events (team_id, sequence, id, type, data, created_at)
       ${listed} select ?1, i + 1000, 'evt_' || i || ?3, 'contact.created', json_object('contact', ?2), 1 from n`,
    ].map((statement) => env.DB.prepare(statement).bind(team.id, book.id, suffix)),
  )
  const ctx = createKeyCtx(driver.work, sha256Hex(team.api.key), "full")
  const meter = await metered(() => eraseAddress(ctx, ADA))
  await sweepErasures(driver.work)
  expect(meter.rowsRead).toBeLessThan(160)
  expect(meter.roundTrips).toBeLessThan(20)
  expect(await traces(team)).toEqual([])
})

it("an erasure reads the audit log once, and again after it has changed entries of it", async () => {
  const team = await makeTeam()
  const ENTRIES = 2_000
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?3)
     insert into audit_log (team_id, id, at, actor_type, action, label)
     select ?1, 'al_' || i, 1, 'key', 'suppressions.create', iif(i % 20 = 0, ?2, 'bob@example.com') from n`,
  )
    .bind(team.id, ADA, ENTRIES)
    .run()
  const meter = await metered(() => eraseTexts(testWork().work, team.id, ADA))
  // A page counts its rows three times.
  expect(meter.rowsRead).toBeLessThan(7 * ENTRIES)
  expect(await traces(team)).toEqual([])
})
