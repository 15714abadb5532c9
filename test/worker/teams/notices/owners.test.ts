import { env } from "cloudflare:workers"
import { afterEach, expect, it, vi } from "vitest"
import { newId } from "../../../../src/lib/id.ts"
import { DAY_MS } from "../../../../src/lib/time.ts"
import { sweepDomains } from "../../../../src/worker/domains/check.ts"
import type { Work } from "../../../../src/worker/platform/context.ts"
import {
  databaseNumber,
  databaseNumbers,
  hasOthers,
  workIn,
} from "../../../../src/worker/platform/db/databases.ts"
import type { Env } from "../../../../src/worker/platform/env.ts"
import {
  keepDeadLetters,
  sweepDeadLetters,
} from "../../../../src/worker/platform/queues/dead-letters.ts"
import { keepNotices, noteDeadLetters } from "../../../../src/worker/teams/notices/keep.ts"
import { sendNotices } from "../../../../src/worker/teams/notices/send.ts"
import { notices } from "../../../../src/worker/teams/notices/table.ts"
import { watchForOwners, watchProviders } from "../../../../src/worker/teams/notices/watch.ts"
import { sweepFailingWebhooks } from "../../../../src/worker/webhooks/deliveries/failing.ts"
import { directory } from "../../../support/installation.ts"
import { endPauses } from "../../../support/providers.ts"
import { addDomain, makeTeam, type Team } from "../../../support/team.ts"
import { makeClock, testWork } from "../../../support/work.ts"

afterEach(() => vi.restoreAllMocks())

async function addOwner({ id }: { id: string }, role = "owner"): Promise<string> {
  const userId = newId("user")
  const email = `${userId.slice(-10).toLowerCase()}@example.org`
  await directory.batch([
    directory
      .prepare(
        "insert into users (id, name, email, created_at, updated_at) values (?, 'Owner', ?, 0, 0)",
      )
      .bind(userId, email),
    directory
      .prepare("insert into members (user_id, team_id, role, created_at) values (?, ?, ?, 0)")
      .bind(userId, id, role),
  ])
  return email
}

const mailTo = async (address: string) =>
  (
    await env.DB.prepare(
      `select e.team_id as teamId, e.subject, coalesce(e.sender ->> 'name' || ' ', '') || (e.sender ->> 'address') as sender
       from email_recipients r join emails e on e.team_id = r.team_id and e.id = r.email_id
       where r.address = ? order by e.id`,
    )
      .bind(address)
      .all<{ teamId: string; subject: string; sender: string }>()
  ).results

/** The minute's work of the owners' mail, at this time of this day. */
function workAt(time: string, settings: Partial<Env> = {}) {
  const clock = makeClock(Date.parse(time))
  return { clock, work: testWork({ clock, settings }).work }
}

async function failingWebhook({ id }: Team, now: number): Promise<string> {
  const webhookId = newId("webhook")
  await env.DB.prepare(
    `insert into webhooks (team_id, id, url, events, secret, enabled, failing_since, created_at, updated_at)
     values (?, ?, 'https://receiver.test/hook', '[]', 'sealed', 1, ?, 0, 0)`,
  )
    .bind(id, webhookId, now - DAY_MS)
    .run()
  return webhookId
}

/** As in invitations: the oldest domain, so that people know the address. */
const senderAt = ({ domain }: Team) => `Edgepost no-reply@${domain}`

it("tells the owners of a team, and nobody else, that a webhook was disabled: once a day", async () => {
  const team = await makeTeam()
  const owners = [await addOwner(team), await addOwner(team)]
  const member = await addOwner(team, "member")
  await addDomain(team.id, `newer.${team.domain}`)
  const { work, clock } = workAt("2026-11-20T10:00:30Z")
  for (let failures = 0; failures < 2; failures++) {
    await failingWebhook(team, clock.now())
    await sweepFailingWebhooks(work)
    await sendNotices(work)
  }
  const mail = { teamId: team.id, subject: "Webhook disabled", sender: senderAt(team) }
  for (const owner of owners) expect(await mailTo(owner)).toEqual([mail])
  expect(await mailTo(member)).toEqual([])

  clock.advance(DAY_MS)
  await failingWebhook(team, clock.now())
  await sweepFailingWebhooks(work)
  await sendNotices(work)
  expect(await mailTo(owners[0] as string)).toEqual([mail, mail])
})

it("tells that a domain lost its proof, from another domain of the team", async () => {
  const team = await makeTeam()
  const owner = await addOwner(team)
  const lost = `unverified.${team.domain}`
  const id = await addDomain(team.id, lost)
  const { work, clock } = workAt("2026-11-20T10:00:30Z")
  await env.DB.prepare("update domains set check_at = ? where id = ?").bind(clock.now(), id).run()
  await sweepDomains(work)
  await sendNotices(work)
  expect(await mailTo(owner)).toEqual([
    {
      teamId: team.id,
      subject: `The domain ${lost} is no longer verified`,
      sender: senderAt(team),
    },
  ])
})

it("does not tell of a new domain that fails, nor twice when a call is repeated", async () => {
  const team = await makeTeam()
  const owner = await addOwner(team)
  const id = await addDomain(team.id, `unverified.${team.domain}`, "pending")
  const { work, clock } = workAt("2026-11-20T10:00:30Z")
  await env.DB.prepare("update domains set check_at = ? where id = ?").bind(clock.now(), id).run()
  await sweepDomains(work)
  await sendNotices(work)
  expect(await mailTo(owner)).toEqual([])

  await keepNotices(work, "domain_demoted", [{ teamId: team.id, about: { id, name: "a.test" } }])
  await sendNotices(work)
  // The process died before it noted that the mail is accepted.
  await env.DB.prepare("update notices set due_at = 0 where team_id = ?").bind(team.id).run()
  await sendNotices(work)
  expect(await mailTo(owner)).toHaveLength(1)
})

it("tells once an hour of a rate that providers review", async () => {
  const [team, calm] = [await makeTeam(), await makeTeam()]
  const [owner, calmOwner] = [await addOwner(team), await addOwner(calm)]
  const addDay = ({ id }: Team, bounced: number) =>
    env.DB.prepare("insert into stats_days (team_id, day, quarters) values (?, '2026-11-20', ?)")
      .bind(id, JSON.stringify({ "30": [100, bounced, 0] }))
      .run()
  await addDay(team, 6)
  await addDay(calm, 1)
  await watchForOwners(workAt("2026-11-20T10:01:30Z").work)
  const { work } = workAt("2026-11-20T10:00:30Z")
  await sendNotices(work)
  expect(await mailTo(owner)).toEqual([])
  await watchForOwners(work)
  await sendNotices(work)
  expect((await mailTo(owner)).map(({ subject }) => subject)).toEqual(["6% of your email bounced"])
  expect(await mailTo(calmOwner)).toEqual([])
})

/** Those who run the installation: the team of the domain of `SYSTEM_FROM`. */
async function makeOperators() {
  const team = await makeTeam()
  const owner = await addOwner(team)
  return { owner, from: `Edgepost <post@${team.domain}>`, team }
}

async function subjectsFor(happen: (work: Work) => Promise<unknown>, settings: Partial<Env> = {}) {
  const { owner, from, team } = await makeOperators()
  const { work } = workAt("2026-11-20T10:00:30Z", { ...settings, SYSTEM_FROM: from })
  await env.DB.prepare("delete from notices").run()
  await happen(work)
  await sendNotices(work)
  const mail = await mailTo(owner)
  const senders = mail.map(({ teamId, sender }) => [teamId, sender])
  expect(senders).toEqual(mail.map(() => [team.id, `Edgepost post@${team.domain}`]))
  return mail.map(({ subject }) => subject)
}

it("tells those who run the installation of dead letters", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {})
  const body = { kind: "sends", teams: [], dueAt: 0 }
  const message = { id: newId("event"), timestamp: new Date(), body }
  const subjects = await subjectsFor(async (work) => {
    await keepDeadLetters(work, [message as unknown as Message<unknown>])
    await sweepDeadLetters(work, noteDeadLetters)
  })
  expect(subjects).toEqual(["Queue messages need attention"])
})

const sized = (bytes: number) =>
  ({
    prepare: () => ({ run: async () => ({ meta: { size_after: bytes } }) }),
  }) as unknown as D1Database

it("tells those who run the installation of a database that is 80 percent full", async () => {
  const watch = (bytes: number) => (work: Work) =>
    watchForOwners({ ...work, env: { ...work.env, DB: sized(bytes) } })
  expect(await subjectsFor(watch(7_900_000_000))).toEqual([])
  expect(await subjectsFor(watch(8_100_000_000))).toEqual([
    hasOthers(env) ? `Database ${databaseNumber(env)} is 81% full` : "The database is 81% full",
  ])
  const { meta } = await env.DB.prepare("select 1").run()
  expect(meta.size_after).toBeGreaterThan(0)
})

it("tells them of each of several databases that are almost full on the same day", async () => {
  const { owner, from } = await makeOperators()
  const settings = { SYSTEM_FROM: from, DB_2: env.DB_2 ?? env.DB }
  const { work } = workAt("2026-11-20T10:00:30Z", settings)
  const numbers = databaseNumbers(work.env)
  for (const number of numbers) {
    const there = workIn(work, number)
    await there.db.delete(notices)
    await watchForOwners({ ...there, env: { ...there.env, DB: sized(8_100_000_000) } })
    await sendNotices(there)
  }
  const subjects = (await mailTo(owner)).map(({ subject }) => subject)
  expect(subjects).toEqual(numbers.map((number) => `Database ${number} is 81% full`))
})

it("tells those who run the installation that a provider accepts no mail", async () => {
  const pausedFor = (minutes: number) => async () => {
    const { work } = testWork()
    await env.DB.prepare("insert into provider_pauses values ('smtp', ?, 'No answer', 0, null)")
      .bind(work.now() - minutes * 60_000)
      .run()
    await watchProviders(work)
    await endPauses()
    await env.DB.prepare("update notices set due_at = 0 where due_at is not null").run()
  }
  expect(await subjectsFor(pausedFor(14))).toEqual([])
  expect(await subjectsFor(pausedFor(16))).toEqual(["The provider 'smtp' is not accepting email"])
})

it("sends a notice although a clock that was ahead postponed it", async () => {
  const subjects = await subjectsFor(async (work) => {
    await noteDeadLetters(work, 1)
    await env.DB.prepare("update notices set due_at = ?")
      .bind(work.now() + 3 * 3_600_000)
      .run()
  })
  expect(subjects).toHaveLength(1)
})

it("logs what nobody can be told, and does not try for ever", async () => {
  const lines = vi.spyOn(console, "error").mockImplementation(() => {})
  const { work } = workAt("2026-11-20T10:00:30Z")
  const team = await makeTeam()
  await env.DB.prepare("delete from notices").run()
  await keepNotices(work, "bounce_rate", [{ teamId: team.id, about: { percent: 5 } }])
  await env.DB.prepare("delete from domains where team_id = ?").bind(team.id).run()
  await sendNotices(work)
  await sendNotices(work)
  const reasons = lines.mock.calls.map(([line]) => JSON.parse(line).reason)
  expect(reasons).toEqual(["no verified domain"])
})
