import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createTeamCtx } from "../../../src/worker/access/team-ctx.ts"
import { importContacts } from "../../../src/worker/contacts/import/import.ts"
import worker from "../../../src/worker/index.ts"
import { RUNS_A_PAGE } from "../../../src/worker/sequences/running/due.ts"
import { lookAtSequences } from "../../../src/worker/sequences/running/look.ts"
import { advanceDueRuns, sweepSequences } from "../../../src/worker/sequences/running/sweep.ts"
import { BASE_URL } from "../../support/api.ts"
import { workerEnv } from "../../support/installation.ts"
import { cutOffCampaigns, type Meter, metered, readMeter } from "../../support/meter.ts"
import type { Sent } from "../../support/queue.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"
import { makeTeam } from "../../support/team.ts"

const PEOPLE = 20_000
/** A page of contacts at first, and at most. */
const [FIRST_READ, MOST_READ] = [250, 1_000]
const EMAILS = 4
/** Each of its calls of the database may wait for one of a page. */
const PAGES_AN_EMAIL = 6
const STEPS = [send("hello"), wait("pause", "300d")]

cutOffCampaigns()

type Stage = Awaited<ReturnType<typeof makeStage>>
let stage: Stage
beforeEach(async () => {
  stage = await makeStage()
})

const TABLES = ["sequence_runs", "sequence_versions", "sequences", "campaign_batches", "emails"]
/** Other files would go on with what is due. */
afterEach(async () => {
  for (const table of TABLES) {
    await env.DB.prepare(`delete from ${table} where team_id = ?`).bind(stage.team.id).run()
  }
})

const fill = ({ team, bookId }: Stage, count: number) =>
  env.DB.prepare(
    `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ?1)
     insert into contacts (team_id, book_id, id, email, subscribed, properties, created_at, updated_at)
     select ?2, ?3, printf('ct_%026d', n), 'n' || n || '@example.com', 1, '{"plan":"pro"}', 0, 0 from counted`,
  )
    .bind(count, team.id, bookId)
    .run()

/** What the database did until a queue got its first message, and in all. */
async function untilFirst({ sent }: { sent: Sent[] }, work: () => Promise<unknown>) {
  let first: Meter | undefined
  sent.length = 0
  sent.push = (...messages) => {
    first ??= readMeter()
    return Array.prototype.push.apply(sent, messages)
  }
  const all = await metered(work)
  expect(first).toBeDefined()
  return { first: first as Meter, all }
}

describe("the first mail of 20,000 people who enter at once", () => {
  /** A hint that the look or the import has sent leads to mail. */
  async function expectMailSoon() {
    const { driver } = stage
    const { first, all } = await untilFirst(driver.queues.SENDS_BULK, () =>
      driver.takeMessages("CAMPAIGNS"),
    )
    expect(first.roundTrips).toBeLessThanOrEqual(4)
    expect(first.rowsRead).toBeLessThanOrEqual(45 * RUNS_A_PAGE)
    expect(all.mostRows).toBeLessThanOrEqual(MOST_READ)
  }

  it("waits for one page of the segment and one of the runs", async () => {
    const { api } = stage.team
    const filter = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
    const input = { name: "Pro", bookId: stage.bookId, filter }
    const segmentId = (await api.post("/segments", input)).body.id
    const id = await stage.addSequence({ trigger: { on: "segment", segmentId }, steps: STEPS })
    const { driver } = stage
    await stage.pass()
    await fill(stage, PEOPLE)
    await env.DB.prepare("update sequences set look_at = 0 where id = ?").bind(id).run()
    const { first, all } = await untilFirst(driver.queues.CAMPAIGNS, () =>
      sweepSequences(driver.work),
    )
    expect(first.roundTrips).toBeLessThanOrEqual(7)
    expect(first.rowsRead).toBeLessThanOrEqual(20 * FIRST_READ)
    expect(all.mostRows).toBeLessThanOrEqual(MOST_READ)
    await expectMailSoon()
  })

  it("waits for one part of an import and one page of the runs", async () => {
    const { team, bookId, driver } = stage
    await stage.addSequence({ trigger: { on: "subscribed", imports: true }, steps: STEPS })
    const emails = Array.from({ length: PEOPLE / 2 }, (_, n) => `n${n}@example.com`)
    const caller = { team: { id: team.id }, permission: "full", session: null } as const
    const { first, all } = await untilFirst(driver.queues.CAMPAIGNS, () =>
      importContacts(createTeamCtx(driver.work, caller), bookId, {
        ...{ csv: ["email", ...emails].join("\n"), columns: {}, subscribed: true },
        ...{ updateExisting: true, dryRun: false },
      }),
    )
    expect(first.roundTrips).toBeLessThan(all.roundTrips)
    await expectMailSoon()
  })
})

it("one consumer at a time looks at a sequence", async () => {
  const { team, driver } = stage
  const id = await stage.addSequence({ steps: [wait("pause", "300d")] })
  await stage.pass()
  const looks = async () => {
    const meters = await Promise.all(
      [1, 2, 3].map(() => metered(() => lookAtSequences(driver.work))),
    )
    return meters.map(({ rowsWritten }) => rowsWritten > 0).filter(Boolean)
  }
  await env.DB.prepare("update sequences set look_at = 1 where id = ?").bind(id).run()
  expect(await looks()).toHaveLength(1)
  expect(await looks()).toHaveLength(0)
  const lookAt = "select look_at from sequences where team_id = ?"
  expect(await env.DB.prepare(lookAt).bind(team.id).first("look_at")).toBeNull()
})

it("a consumer that another one is ahead of leaves the runs to it", async () => {
  const { team, driver, bookId } = stage
  const id = await stage.addSequence({ steps: [wait("pause", "300d")] })
  await fill(stage, 10 * RUNS_A_PAGE)
  await addRuns(team.id, id, bookId)
  const meters = await Promise.all([1, 2, 3].map(() => metered(() => advanceDueRuns(driver.work))))
  const trips = meters.map(({ roundTrips }) => roundTrips).toSorted((a, b) => b - a)
  // Reading a page and trying to write it.
  expect(trips[1]).toBeLessThan((trips[0] ?? 0) / 2)
})

const addRuns = (teamId: string, id: string, bookId: string) =>
  env.DB.prepare(
    `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, since, state, due_at, started_at)
     select team_id, 'run_' || substr(id, 4), ?2, id, 1, 0, 'waiting', 0, 0
     from contacts where team_id = ?1 and book_id = ?3`,
  )
    .bind(teamId, id, bookId)
    .run()

it("an email of another team waits for a few pages of runs, however many are due", async () => {
  const { team, driver, bookId } = stage
  const id = await stage.addSequence({ steps: [wait("pause", "300d")] })
  await fill(stage, 40 * RUNS_A_PAGE)
  await addRuns(team.id, id, bookId)
  const other = await makeTeam()
  // The calls have the clock of the machine, which is ahead by now.
  driver.clock.advance(10 * 60_000)
  const sendOne = async () => {
    const execution = createExecutionContext()
    const reply = await worker.fetch(
      new Request(`${BASE_URL}/api/v1/emails`, {
        method: "POST",
        headers: { authorization: `Bearer ${other.api.key}` },
        body: JSON.stringify({
          ...{ from: `a@${other.domain}`, to: "success@simulator.amazonses.com" },
          ...{ subject: "Now", text: "Now" },
        }),
      }),
      { ...workerEnv(), SENDS: driver.queues.SENDS.queue },
      execution,
    )
    expect(reply.status).toBe(201)
    await waitOnExecutionContext(execution)
    await driver.takeMessages("SENDS")
  }
  // The first one loads modules.
  await sendOne()
  const moving = advanceDueRuns(driver.work)
  for (let count = 1; count < EMAILS; count++) await sendOne()
  const moved = await env.DB.prepare("select entered from sequences where id = ?")
    .bind(id)
    .first<number>("entered")
  const { body } = await other.api.get("/emails")
  expect(body.data.filter((email: { sentAt: unknown }) => email.sentAt)).toHaveLength(EMAILS)
  expect(moved).toBeLessThanOrEqual((EMAILS - 1) * PAGES_AN_EMAIL * RUNS_A_PAGE)
  await moving
})

describe("100 sequences of 0.6 MB each", () => {
  const COUNT = 100
  /** With a run in each of them, before that of another team. */
  async function addLarge({ team, addSequence, addContact }: Stage) {
    const contactId = await addContact("ada@example.com")
    const id = await addSequence({ steps: [wait("pause", "300d")] })
    const steps = [wait("pause", "300d"), { ...wait("unused"), padding: "x".repeat(600_000) }]
    await env.DB.prepare(
      `with recursive counted (n) as (select 2 union all select n + 1 from counted where n < ?1)
       insert into sequences (team_id, id, book_id, name, status, domain_id, sender, started_by, steps, entry,
         ends_on_reply, version, created_at, updated_at)
       select team_id, 'sqn_' || printf('%026d', n), book_id, name, status, domain_id, sender, started_by, ?2, entry,
         ends_on_reply, 2, 0, 0 from sequences, counted where id = ?3`,
    )
      .bind(COUNT, JSON.stringify(steps), id)
      .run()
    await env.DB.batch([
      env.DB.prepare(
        `insert into sequence_versions (team_id, sequence_id, version, steps)
         select team_id, id, 1, steps from sequences where team_id = ?1 and version = 2`,
      ).bind(team.id),
      env.DB.prepare(
        `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, since, state, due_at, started_at)
         select team_id, 'run_' || substr(id, 5), id, ?2, 1, 0, 'waiting', 1, 0
         from sequences where team_id = ?1 and version = 2`,
      ).bind(team.id, contactId),
    ])
  }

  it("do not stop the runs of another team, or its own", async () => {
    await addLarge(stage)
    const other = await makeStage()
    const id = await other.addSequence({ steps: [wait("pause", "300d")] })
    const contactId = await other.addContact("bob@example.com")
    await other.start(id, contactId)
    stage.driver.clock.advance(60_000)
    await advanceDueRuns(stage.driver.work)
    expect(await other.runOf(id, contactId)).toMatchObject({ stepKey: "pause" })
    const left = "select count(*) from sequence_runs where team_id = ? and step_key is null"
    expect(await env.DB.prepare(left).bind(stage.team.id).first("count(*)")).toBe(0)
  })

  it("are listed in pages of a few", async () => {
    await addLarge(stage)
    const { api } = stage.team
    let listed = 0
    let cursor = ""
    do {
      const { status, body } = await api.get(`/sequences?limit=100${cursor}`)
      expect(status).toBe(200)
      listed += body.data.length
      cursor = body.nextCursor && `&cursor=${body.nextCursor}`
    } while (cursor)
    expect(listed).toBe(COUNT)
  })
})
