import { createExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import operations from "../../docs/operations.md?raw"
import { newId } from "../../src/lib/id.ts"
import { createApp } from "../../src/worker/app.ts"
import { recordEvents } from "../../src/worker/emails/outcomes/record.ts"
import { reportOf } from "../../src/worker/emails/outcomes/report.ts"
import { request } from "../support/api.ts"
import { acceptForLater } from "../support/mail.ts"
import { metered } from "../support/meter.ts"
import { endPauses } from "../support/providers.ts"
import { makeTeam } from "../support/team.ts"
import { testWork } from "../support/work.ts"

const METRICS_TOKEN = "a token that only these tests scrape with"
const app = createApp()
const scrape = async (token: string, settings: object = {}) =>
  app.fetch(
    new Request("http://localhost:8787/metrics", { headers: { authorization: `Bearer ${token}` } }),
    { ...env, METRICS_TOKEN, ...settings },
    createExecutionContext(),
  )

const read = async (settings?: object) =>
  Object.fromEntries(
    (await (await scrape(METRICS_TOKEN, settings)).text())
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  )

it("is not there without its setting, and answers to its token alone", async () => {
  expect((await request("GET", "/metrics")).status).toBe(404)
  expect((await scrape("another token that nobody scrapes with")).status).toBe(401)
  const reply = await scrape(METRICS_TOKEN)
  expect([reply.status, reply.headers.get("content-type")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  ])
  expect(await reply.text()).toMatch(/^# TYPE edgepost_oldest_due_seconds gauge\n[\s\S]*\n# EOF\n$/)
})

it("tells what waits, what is paused and what was sent, in one round trip", async () => {
  const team = await makeTeam()
  await acceptForLater(team)
  const before = await read()
  const now = Date.now()
  await env.DB.batch([
    env.DB.prepare(
      `insert into provider_pauses (provider, since, reason, probe_at) values ('ses', ?, 'test', ?)`,
    ).bind(now - 60_000, now),
    env.DB.prepare(`insert into stats_days (team_id, day, sent, failed) values (?, ?, 7, 2)`).bind(
      team.id,
      new Date(now).toISOString().slice(0, 10),
    ),
    env.DB.prepare(
      "insert into dead_letters (id, queue, body, created_at) values ('dl', 'outcomes', '{}', 0)",
    ),
    env.DB.prepare("update emails set not_before = ?, status = 'queued' where team_id = ?").bind(
      now - 90_000,
      team.id,
    ),
  ])
  let after: Record<string, number> = {}
  const { roundTrips } = await metered(async () => {
    after = await read()
  })
  expect(roundTrips).toBe(1)
  const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0)
  expect(after['edgepost_provider_paused_seconds{provider="ses"}']).toBeGreaterThanOrEqual(60)
  expect(after.edgepost_oldest_due_seconds).toBeGreaterThanOrEqual(90)
  expect(grown('edgepost_emails_total{outcome="sent",provider="sandbox"}')).toBe(7)
  expect(grown('edgepost_emails_total{outcome="failed",provider="sandbox"}')).toBe(2)
  expect(grown("edgepost_dead_letters")).toBe(1)
  expect(grown('edgepost_emails_waiting{priority="transactional"}')).toBe(1)
  expect(after.edgepost_database_bytes).toBeGreaterThan(100_000)
  expect(after.edgepost_database_used_ratio).toBeCloseTo(after.edgepost_database_bytes! / 1e10)
  await endPauses()
})

it("counts what was accepted lately, up to a thousand", async () => {
  const team = await makeTeam()
  const accepted = async (provider: string, settings?: object) =>
    (await read(settings))[`edgepost_emails_accepted{provider="${provider}"}`]
  const before = (await accepted("sandbox")) ?? 0
  await acceptForLater(team)
  const hourAgo = await acceptForLater(team)
  await env.DB.prepare("update emails set id = ? where id = ?")
    .bind(newId("email", Date.now() - 3_600_000), hourAgo)
    .run()
  expect(await accepted("sandbox")).toBe(before + 1)
  await env.DB.prepare("update emails set campaign_id = 'cmp' where team_id = ?")
    .bind(team.id)
    .run()
  const settings = { PROVIDER: "cloudflare", BULK_PROVIDER: "ses" }
  expect(await accepted("cloudflare", settings)).toBe(before)
  expect(await accepted("ses", settings)).toBe(1)
  await env.DB.prepare(
    `with recursive n (n) as (select 1 union all select n + 1 from n where n < 1200)
     insert into emails (team_id, id, status, sender, recipients, subject, domain_id, created_at, not_before)
     select ?1, ?2 || printf('%04d', n), 'delivered', '{}', '[]', '', 'dom', 0, 0 from n`,
  )
    .bind(team.id, newId("email").slice(0, -4))
    .run()
  expect(await accepted("sandbox")).toBe(1_000)
})

it("counts campaigns' mail for the provider of campaigns", async () => {
  const settings = { PROVIDER: "cloudflare", BULK_PROVIDER: "ses" }
  const before = await read(settings)
  const team = await makeTeam()
  const ids = [await acceptForLater(team), await acceptForLater(team), await acceptForLater(team)]
  await env.DB.prepare("update emails set campaign_id = 'cmp', contact_id = 'con' where id = ?")
    .bind(ids[0])
    .run()
  const report = (emailId: string) => reportOf({ teamId: team.id, emailId }, "sent", Date.now())
  await recordEvents(testWork().work, ids.slice(0, 2).map(report))
  await recordEvents(testWork().work, ids.slice(2).map(report))
  const after = await read(settings)
  const grown = (provider: string) => {
    const name = `edgepost_emails_total{outcome="sent",provider="${provider}"}`
    return (after[name] ?? 0) - (before[name] ?? 0)
  }
  expect([grown("cloudflare"), grown("ses")]).toEqual([2, 1])
})

it("says how late the oldest delivery is, but not that of a receiver that hangs", async () => {
  const team = await makeTeam()
  const now = Date.now()
  const addLate = (id: string, lateMs: number, probeAt: number | null) =>
    env.DB.batch([
      env.DB.prepare(
        `insert into webhooks (team_id, id, url, events, secret, probe_at, created_at, updated_at)
         values (?, ?, 'https://example.com', '[]', '', ?, 0, 0)`,
      ).bind(team.id, id, probeAt),
      env.DB.prepare(
        `insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type, not_before, due_at, created_at)
         values (?, ?, 'del_1', 1, 'ev_1', 'email.sent', 0, ?, 0)`,
      ).bind(team.id, id, now - lateMs),
    ])
  await addLate("wh_late", 300_000, null)
  await addLate("wh_held", now, now)
  const late = (await read()).edgepost_oldest_delivery_seconds
  expect(late).toBeGreaterThanOrEqual(300)
  expect(late).toBeLessThan(now / 1_000)
})

it("has every metric that the alerts of the documents name", async () => {
  const text = await (await scrape(METRICS_TOKEN)).text()
  const alerts = /```yaml\ngroups:[\s\S]*?```/.exec(operations)?.[0] ?? ""
  const named = new Set(alerts.match(/edgepost_[a-z_]+/g))
  expect(named.size).toBe(8)
  for (const name of named) expect(text).toContain(`# TYPE ${name.replace(/_total$/, "")} `)
})
