import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { DAY_MS } from "../../../src/lib/time.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { purgeExpired } from "../../../src/worker/emails/retention/retention.ts"
import { toMessage } from "../../../src/worker/emails/sending/message.ts"
import { eraseAddress, sweepErasures } from "../../../src/worker/erasure/erase.ts"
import type { Provider } from "../../../src/worker/providers/provider.ts"
import { erasedForm } from "../../../src/worker/suppressions/erased.ts"
import { createTriggers } from "../../../src/worker/teams/moving/fence.ts"
import { dispatchEmails } from "../../support/dispatch.ts"
import { eventually } from "../../support/eventually.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"
import { inAnHour } from "../platform/http/examples.ts"

const ask = (teamId: string, email: string) =>
  env.DB.prepare("insert into erasures (team_id, email, requested_at) values (?, ?, 1)")
    .bind(teamId, email)
    .run()

const ADA = "ada@example.com"
const HASHED = erasedForm(testWork().work.settings, ADA)

const erase = async ({ api }: Team, address = ADA) => {
  const { work } = testWork()
  const erased = await eraseAddress(createKeyCtx(work, sha256Hex(api.key), "full"), address)
  await sweepErasures(work)
  return erased
}

const send = async ({ api, domain }: Team, fields: object = {}) => {
  const { status, body } = await api.post("/emails", {
    from: `a@${domain}`,
    to: `Ada Byron <${ADA}>`,
    subject: "Hello",
    text: "Hi",
    ...fields,
  })
  expect(status).toBe(201)
  return body.id as string
}

const delivered = ({ api }: Team, id: string) =>
  eventually(async () => expect((await api.get(`/emails/${id}`)).body.status).toBe("delivered"))

/** Every row of the team that still names the address. */
async function traces(team: Team, address = ADA): Promise<string[]> {
  const tables = [
    "contacts",
    "emails",
    "email_recipients",
    "email_events",
    "sandbox_messages",
    "suppressions",
    "erasures",
  ]
  const found = await Promise.all(
    tables.map(async (table) => {
      const { results } = await env.DB.prepare(`select * from ${table} where team_id = ?`)
        .bind(team.id)
        .all()
      return results.some((row) => JSON.stringify(row).includes(address)) ? [table] : []
    }),
  )
  return found.flat()
}

describe("an address that is erased", () => {
  it("leaves every book, the mail log and the suppressions; other addresses stay", async () => {
    const team = await makeTeam()
    const { api } = team
    const other = await makeTeam()
    const counts = []
    for (const email of [ADA, ADA, "bob@example.com"]) {
      const { body } = await api.post("/contact-books", { name: "Book" })
      await api.post(`/contact-books/${body.id}/contacts`, { email })
      counts.push(body.id)
    }
    const sent = await send(team, {
      to: [`Ada Byron <${ADA}>`, "Bob <bob@example.com>"],
      subject: `For "${ADA}"`,
    })
    const alike = await send(team, { to: `n${ADA}` })
    const theirs = await send(other)
    await Promise.all([delivered(team, sent), delivered(team, alike), delivered(other, theirs)])

    expect(await erase(team)).toEqual({ contacts: 2, emails: 1 })

    expect(await traces(team, `"${ADA}`)).toEqual([])
    const { body: email } = await api.get(`/emails/${sent}`)
    expect(email.to).toEqual([HASHED, "Bob <bob@example.com>"])
    expect(email.status).toBe("delivered")
    const events = JSON.stringify(email.events)
    expect(events).toContain("bob@example.com")
    expect(events).not.toContain(ADA)
    expect((await api.get(`/emails/${alike}`)).body.to).toEqual([`n${ADA}`])
    expect((await api.get(`/emails?to=${ADA}`)).body.data).toEqual([])
    expect((await api.get(`/emails?to=${HASHED}`)).body.data).toHaveLength(1)
    const booked = await Promise.all(counts.map((id) => api.get(`/contact-books/${id}`)))
    expect(booked.map(({ body }) => [body.contactCount, body.subscribedCount])).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ])
    const contents = await env.DB.prepare("select 1 from email_contents where email_id = ?")
      .bind(sent)
      .all()
    expect(contents.results).toEqual([])
    expect((await other.api.get(`/emails/${theirs}`)).body.to).toEqual([`Ada Byron <${ADA}>`])
  })

  it("gets no more mail of this team, and still gets that of other teams", async () => {
    const team = await makeTeam()
    const other = await makeTeam()
    await erase(team)
    const message = { from: `a@${team.domain}`, to: "ADA@example.com", subject: "S", text: "T" }
    const { status, body } = await team.api.post("/emails", message)
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: "suppressed_recipient",
      details: [{ email: ADA, reason: "manual" }],
    })
    await send(other)
    const override = await team.api.post("/emails", { ...message, overrideSuppression: true })
    expect(override.status).toBe(201)
  })

  it("keeps the reason of its suppression, so a complaint cannot be overridden", async () => {
    const team = await makeTeam()
    await env.DB.prepare(
      "insert into suppressions (team_id, email, id, reason, note, created_at) values (?, ?, 'sup_1', 'complaint', 'Ada wrote', 1)",
    )
      .bind(team.id, ADA)
      .run()
    await erase(team)
    const { body } = await team.api.get("/suppressions")
    expect(body.data).toMatchObject([{ email: HASHED, reason: "complaint", note: null }])
    const reply = await team.api.post("/emails", {
      from: `a@${team.domain}`,
      to: ADA,
      subject: "S",
      text: "T",
      overrideSuppression: true,
    })
    expect(reply.status).toBe(422)
  })

  it("may be suppressed again, and released by a caller who knows it", async () => {
    const team = await makeTeam()
    await erase(team)
    const again = await team.api.post("/suppressions", { email: ADA })
    expect(again).toMatchObject({ status: 201, body: { email: HASHED } })
    expect((await team.api.get("/suppressions")).body.data).toHaveLength(1)
    expect((await team.api.delete(`/suppressions/${ADA}`)).status).toBe(204)
    await send(team)
  })

  it("has its pending emails cancelled, and a retry in flight is not sent", async () => {
    const team = await makeTeam()
    const scheduled = await send(team, { scheduledAt: inAnHour() })
    const inFlight = await send(team, { scheduledAt: inAnHour() })
    await env.DB.prepare("update emails set status = 'sending', not_before = 0 where id = ?")
      .bind(inFlight)
      .run()
    expect(await erase(team)).toEqual({ contacts: 0, emails: 2 })
    const { body } = await team.api.get(`/emails/${scheduled}`)
    expect(body).toMatchObject({ status: "cancelled", events: [{ reason: "erased" }] })
    const handed: string[] = []
    const provider: Provider = {
      name: "sandbox",
      send: async ({ emailId }) => {
        handed.push(emailId)
        return { ok: true, providerMessageId: "x", acceptedAt: Date.now() }
      },
    }
    const { work } = testWork()
    await dispatchEmails(
      work,
      [scheduled, inFlight].map((emailId) => ({ teamId: team.id, emailId })),
      { provider },
    )
    expect(handed).toEqual([])
    expect((await team.api.get(`/emails/${inFlight}`)).body.status).toBe("cancelled")
  })

  it("leaves an email sent that went out while the erasure was late", async () => {
    const team = await makeTeam()
    const emailId = await send(team, { scheduledAt: inAnHour() })
    await env.DB.prepare("update emails set status = 'queued', not_before = 0 where id = ?")
      .bind(emailId)
      .run()
    const DB = interruptedDb(/new_events/, () =>
      dispatchEmails(testWork().work, [{ teamId: team.id, emailId }]),
    )
    await ask(team.id, ADA)
    await sweepErasures(testWork({ settings: { DB } }).work)
    const { body } = await team.api.get(`/emails/${emailId}`)
    expect(body.events.map(({ type }: { type: string }) => type)).not.toContain("cancelled")
    expect(body.status).not.toBe("cancelled")
    await sweepErasures(testWork().work)
    expect(await traces(team)).toEqual([])
  })

  it("is erased by the sweep after a request on the command line, and after a call that broke off", async () => {
    const team = await makeTeam()
    const { body: book } = await team.api.post("/contact-books", { name: "Book" })
    await team.api.post(`/contact-books/${book.id}/contacts`, { email: ADA })
    await ask(team.id, ADA)
    await sweepErasures(testWork().work)
    expect(await traces(team)).toEqual([])
    expect((await team.api.get(`/contact-books/${book.id}`)).body.contactCount).toBe(0)
    expect(await erase(team)).toEqual({ contacts: 0, emails: 0 })
  })

  it("leaves no recipient of an email that is purged meanwhile", async () => {
    const team = await makeTeam()
    await delivered(team, await send(team))
    await ask(team.id, ADA)
    const clock = makeClock(Date.now() + 1_000 * DAY_MS)
    const DB = interruptedDb(/update or replace email_recipients/, () =>
      purgeExpired(testWork({ clock }).work),
    )
    await sweepErasures(testWork({ settings: { DB } }).work)
    await sweepErasures(testWork().work)
    expect(await traces(team)).toEqual([])
  })

  it("keeps a request that comes while a sweep ends the one before", async () => {
    const team = await makeTeam()
    await ask(team.id, ADA)
    const { work } = testWork()
    const ctx = createKeyCtx(work, sha256Hex(team.api.key), "full")
    const DB = interruptedDb(/delete from "erasures"/, () => eraseAddress(ctx, ADA))
    await sweepErasures(testWork({ settings: { DB } }).work)
    expect(await traces(team)).toEqual(["erasures"])
    await sweepErasures(work)
    expect(await traces(team)).toEqual([])
  })

  it("leaves no row out while its team cannot write, and another team's erasure goes on", async () => {
    const [team, other] = [await makeTeam(), await makeTeam()]
    await env.DB.prepare("insert into saved_views values (?, 'v', ?, 'n', '{}', 'u', 1, 1)")
      .bind(team.id, ADA)
      .run()
    await ask(team.id, ADA)
    await ask(other.id, ADA)
    await env.DB.prepare("update erasures set tried_at = 1 where team_id = ?").bind(other.id).run()
    const views = async () =>
      (await env.DB.prepare("select 1 from saved_views where team_id = ?").bind(team.id).all())
        .results.length
    const fence = (mode: string) =>
      env.DB.prepare("insert or replace into team_fences values (?, ?, 'a move')")
        .bind(team.id, mode)
        .run()
    await env.DB.batch(createTriggers(env.DB, true))
    const closing = interruptedDb(/delete from "saved_views"/, () => fence("closed"))
    await sweepErasures(testWork({ settings: { DB: closing } }).work)
    expect([await views(), await traces(team), await traces(other)]).toEqual([1, ["erasures"], []])
    await sweepErasures(testWork().work)
    expect([await views(), await traces(team)]).toEqual([1, ["erasures"]])
    await env.DB.prepare("delete from team_fences").run()
    await sweepErasures(testWork().work)
    expect([await views(), await traces(team)]).toEqual([0, []])
  })

  it("is erased although ten erasures of another team cannot end yet", async () => {
    const [busy, team] = [await makeTeam(), await makeTeam()]
    const { body: book } = await team.api.post("/contact-books", { name: "Book" })
    await team.api.post(`/contact-books/${book.id}/contacts`, { email: ADA })
    for (let i = 0; i < 10; i++) {
      const email = `waiting${i}@example.com`
      const { body } = await busy.api.post("/emails", {
        from: `a@${busy.domain}`,
        to: email,
        subject: "S",
        text: "T",
        scheduledAt: inAnHour(),
      })
      await env.DB.prepare(
        "update emails set status = 'sending', attempts = 1, not_before = ? where id = ?",
      )
        .bind(Date.now() + 3_600_000, body.id)
        .run()
      await ask(busy.id, email)
    }
    await ask(team.id, ADA)
    const { work } = testWork()
    await sweepErasures(work)
    await sweepErasures(work)
    expect(await traces(team)).toEqual([])
    const { results } = await env.DB.prepare("select email from erasures where team_id = ?")
      .bind(busy.id)
      .all()
    expect(results).toHaveLength(10)
  })

  it("takes its large content out of R2", async () => {
    const team = await makeTeam()
    const html = Array.from({ length: 4000 }, () => crypto.randomUUID()).join("")
    const id = await send(team, { html, scheduledAt: inAnHour() })
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).not.toBeNull()
    await erase(team)
    expect(await env.CONTENT.head(`content/${team.id}/${id}`)).toBeNull()
  })

  it("is erased from more emails than one round takes", async () => {
    const team = await makeTeam()
    const { status } = await team.api.post(
      "/emails/batch",
      Array.from({ length: 100 }, () => ({
        from: `a@${team.domain}`,
        to: ADA,
        subject: "S",
        text: "T",
        scheduledAt: inAnHour(),
      })),
    )
    expect(status).toBe(201)
    for (let i = 0; i < 150; i++) await send(team, { scheduledAt: inAnHour() })
    expect(await erase(team)).toEqual({ contacts: 0, emails: 250 })
    expect(await traces(team)).toEqual([])
  })

  it("is erased by the sweep from the emails that one call has no time for", async () => {
    const team = await makeTeam()
    const listed = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4100)"
    await env.DB.batch(
      [
        `insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
         ${listed} select ?1, 'em_' || i || ?1, 'sent', '{"address":"a@b.test"}',
           json_array(json_object('address', ?2, 'as', 'to')), 'S', '', 1, 0 from n`,
        `insert into email_recipients (team_id, address, email_id)
         ${listed} select ?1, ?2, 'em_' || i || ?1 from n`,
      ].map((statement) => env.DB.prepare(statement).bind(team.id, ADA)),
    )
    expect(await erase(team)).toEqual({ contacts: 0, emails: 4_000 })
    await sweepErasures(testWork().work)
    expect(await traces(team)).toEqual([])
  })
})

it("rewrites the address as reply-to of emails to others", async () => {
  const team = await makeTeam()
  const replies = { to: "bob@example.com", replyTo: [`Ada <${ADA}>`, "help@example.com"] }
  const sent = await send(team, replies)
  await delivered(team, sent)
  const waiting = await send(team, { ...replies, scheduledAt: inAnHour() })
  const other = await send(team, { to: "bob@example.com", replyTo: "help@example.com" })
  await delivered(team, other)
  await erase(team)
  for (const id of [sent, waiting]) {
    const { replyTo, to, status } = (await team.api.get(`/emails/${id}`)).body
    expect([replyTo, to]).toEqual([[HASHED, "help@example.com"], ["bob@example.com"]])
    expect(status).toBe(id === sent ? "delivered" : "scheduled")
  }
  expect(await traces(team)).toEqual([])
  const inbox = (await team.api.get("/sandbox/messages")).body.data
  expect(inbox.map(({ emailId }: { emailId: string }) => emailId)).toEqual([other])
})

it("sends a waiting email without an erased reply-to", () => {
  const email = { recipients: [], replyTo: [{ address: HASHED }, { address: "help@example.com" }] }
  expect(toMessage(email as never, {} as never).replyTo).toEqual([{ address: "help@example.com" }])
})
