import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { runMinute } from "../../src/worker/cron.ts"
import { fillBook } from "../bench/fill/contacts.ts"
import { emailIdAt, fillEmails } from "../bench/fill/emails.ts"
import { fillDeliveries } from "../bench/fill/webhooks.ts"
import { request } from "../support/api.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { testWork } from "../support/work.ts"

/** What the bench fills a database with is what the service itself would have stored. */

const EMAILS = { from: 0, to: 1_000 }
let team: Team

beforeAll(async () => {
  team = await makeTeam()
  const filled = { teamId: team.id, domainId: team.domainId }
  await fillEmails({ db: env.DB, bucket: env.CONTENT }, filled, EMAILS)
})

const count = (sql: string) => env.DB.prepare(sql).bind(team.id).first<number>("count")

it("lists emails, newest first, by address, tag, status and subject", async () => {
  const { body } = await team.api.get("/emails?limit=1")
  expect(body.data[0].id).toBe(emailIdAt(EMAILS, 999))
  for (const query of [
    "to=reader-7@example.com",
    "tag=shop:north",
    "status=bounced",
    "subject=invoice",
  ]) {
    expect((await team.api.get(`/emails?${query}`)).body.data).toHaveLength(25)
  }
})

it("has timelines that fit the statuses", async () => {
  const typesOf = async (i: number) => {
    const { body } = await team.api.get(`/emails/${emailIdAt(EMAILS, i)}`)
    return [body.status, ...body.events.map(({ type }: { type: string }) => type)]
  }
  expect(await typesOf(14)).toEqual(["delivered", "sent", "delivered"])
  expect(await typesOf(20)).toEqual(["delivered", "sent", "delivered", "opened", "clicked"])
  expect(await typesOf(32)).toEqual(["bounced", "sent", "bounced"])
  expect(await typesOf(101)).toEqual(["complained", "sent", "delivered", "complained"])
})

it("has statistics that add up", async () => {
  const { body } = await team.api.get(
    `/stats/series?since=${new Date(Date.now() - 70 * 86_400_000).toISOString()}`,
  )
  expect(body.totals).toMatchObject({ bounced: { hard: 40, soft: 0 }, complained: 1, failed: 2 })
  expect(await count("select sum(delivered) as count from stats_days where team_id = ?")).toBe(
    body.totals.delivered,
  )
})

it("has contents of the last 30 days in packs, and none before", async () => {
  const cookie = await sessionOf(team.id, "member")
  const content = (i: number) =>
    request("GET", `/dashboard/api/emails/${emailIdAt(EMAILS, i)}/content`, undefined, { cookie })
  expect((await content(990)).body.html).toContain("is ready.")
  expect((await content(10)).body.purgedAt).not.toBeNull()
})

it("has events with deliveries, also after a further range", async () => {
  const { body } = await team.api.post("/webhooks", {
    url: "https://1.1.1.1/hook",
    events: ["email.delivered"],
  })
  const fill = () =>
    fillDeliveries(env.DB, { teamId: team.id, webhookId: body.id, type: "delivered" })
  await fill()
  const first = await count("select count(*) as count from deliveries where team_id = ?")
  expect(first).toBeGreaterThan(300)
  await fillEmails(
    { db: env.DB },
    { teamId: team.id, domainId: team.domainId },
    { from: 1_000, to: 1_100 },
  )
  await fill()
  const { results } = await env.DB.prepare(
    "select count(*) as deliveries, max(sequence) as last from deliveries where team_id = ?",
  )
    .bind(team.id)
    .all<{ deliveries: number; last: number }>()
  expect(results[0]?.deliveries).toBe(results[0]?.last)
  expect(results[0]?.last).toBeGreaterThan(first ?? 0)
})

it("has contacts that are found by address and by name", async () => {
  const { body: book } = await team.api.post("/contact-books", { name: "Readers" })
  await fillBook(env.DB, { teamId: team.id, bookId: book.id }, { from: 0, to: 1_000 })
  const { body } = await team.api.get(`/contact-books/${book.id}`)
  expect(body).toMatchObject({ contactCount: 1_000, subscribedCount: 970 })
  for (const q of ["reader-77", "ada", "turner"]) {
    const found = await team.api.get(`/contact-books/${book.id}/contacts?q=${q}`)
    expect(found.body.data.length, q).toBeGreaterThan(10)
  }
})

it("leaves nothing to do for the sweep", async () => {
  const rows = () =>
    count(`select (select count(*) from emails where team_id = ?1) + (select count(*) from packs where team_id = ?1)
      + (select count(*) from deliveries where team_id = ?1) as count`)
  const before = await rows()
  await runMinute(testWork().work)
  expect(await rows()).toBe(before)
})
