import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { RUNS_A_PAGE, readDueRuns } from "../../../src/worker/sequences/running/due.ts"
import { sweepSequences } from "../../../src/worker/sequences/running/sweep.ts"
import { cutOffCampaigns, metered } from "../../support/meter.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"

const DAY = 24 * 60
const COUNT = 100

cutOffCampaigns()

/** People in a sequence, whose first step is over in a minute. */
async function makeRuns(steps: object[], count = COUNT) {
  const stage = await makeStage()
  const contacts = Array.from({ length: count }, (_, n) => ({
    id: `ct_${crypto.randomUUID()}`,
    email: `p${n}@example.com`,
  }))
  await env.DB.prepare(
    `insert into contacts (team_id, book_id, id, email, subscribed, properties, created_at, updated_at)
     select ?1, ?2, value ->> 'id', value ->> 'email', 1, '{}', 0, 0 from json_each(?3)`,
  )
    .bind(stage.team.id, stage.bookId, JSON.stringify(contacts))
    .run()
  const id = await stage.addSequence({ steps })
  await stage.start(id, ...contacts.map((contact) => contact.id))
  // The calls have the clock of the machine, which is ahead by now.
  stage.driver.clock.advance(10 * 60_000)
  await sweepSequences(stage.driver.work)
  stage.driver.clock.advance((DAY + 1) * 60_000)
  return { ...stage, id, contacts }
}

it.each([
  ["without mail writes 3 rows", [wait("a"), wait("b")], 3],
  ["with mail writes 7 rows", [wait("a"), send("mail"), wait("b")], 7],
])("a step %s, whatever the number of runs", async (_, steps, rows) => {
  const { driver, team, id } = await makeRuns(steps)
  const { rowsWritten } = await metered(() => sweepSequences(driver.work))
  const { body } = await team.api.get(`/sequences/${id}/steps`)
  expect(body.b).toMatchObject({ entered: COUNT, waiting: COUNT })
  // Beside the runs: the numbers of the steps, and a batch of mail.
  expect(rowsWritten).toBeLessThanOrEqual(rows * COUNT + 10)
})

it("a minute in which nothing is due costs a person with 50 sequences as much as one with one", async () => {
  const stage = await makeRuns([wait("a", "300d")], 1)
  const idle = () => metered(() => sweepSequences(stage.driver.work))
  await sweepSequences(stage.driver.work)
  const alone = await idle()
  const contactId = stage.contacts[0]?.id as string
  for (let count = 1; count < 50; count++) {
    const id = await stage.addSequence({ steps: [wait("a", "300d")] })
    await stage.start(id, contactId)
  }
  // A sweep looks at some of the new sequences.
  for (let sweeps = 0; sweeps < 5; sweeps++) await sweepSequences(stage.driver.work)
  const { results } = await env.DB.prepare(
    "select 1 from sequence_runs where team_id = ? and state = 'waiting' and step_key = 'a'",
  )
    .bind(stage.team.id)
    .all()
  expect(results).toHaveLength(50)
  expect(await idle()).toEqual(alone)
})

it("an import changes people with a run as it changes people without one", async () => {
  const stage = await makeRuns([wait("a", "300d")], 2 * COUNT)
  const { results } = await env.DB.prepare(
    `delete from sequence_runs where team_id = ?1
       and contact_id in (select id from contacts where team_id = ?1 and email >= 'p150@')
     returning contact_id`,
  )
    .bind(stage.team.id)
    .all()
  const withRun = 2 * COUNT - results.length
  const importing = (emails: string[]) =>
    metered(() =>
      stage.team.api.post(`/contact-books/${stage.bookId}/contacts/import`, {
        csv: ["email,plan", ...emails.map((email) => `${email},pro`)].join("\n"),
      }),
    )
  const emails = stage.contacts.map(({ email }) => email)
  const has = (email: string) => email < "p150@"
  const [beside, alone] = [emails.filter(has), emails.filter((email) => !has(email))]
  expect(beside).toHaveLength(withRun)
  const count = Math.min(beside.length, alone.length, 50)
  const costs = [await importing(beside.slice(0, count)), await importing(alone.slice(0, count))]
  expect(costs[0]?.rowsWritten).toBe(costs[1]?.rowsWritten)
  expect(costs[0]?.rowsRead).toBeLessThanOrEqual((costs[1]?.rowsRead ?? 0) + 4 * count)
})

it("an import of many people into a sequence costs each of them the same", async () => {
  const stage = await makeStage()
  await stage.addSequence({
    ...{ steps: [wait("a", "300d")], trigger: { on: "subscribed", imports: true } },
  })
  const importing = (from: number, count: number) =>
    metered(() =>
      stage.team.api.post(`/contact-books/${stage.bookId}/contacts/import`, {
        csv: ["email", ...Array.from({ length: count }, (_, n) => `n${from + n}@example.com`)].join(
          "\n",
        ),
      }),
    )
  await importing(0, 10)
  const few = await importing(1_000, COUNT)
  const many = await importing(2_000, 10 * COUNT)
  expect(many.rowsWritten).toBeLessThanOrEqual(10 * few.rowsWritten)
  expect(many.rowsRead).toBeLessThanOrEqual(10 * few.rowsRead + 100)
  const runs = await env.DB.prepare("select count(*) as n from sequence_runs where team_id = ?")
    .bind(stage.team.id)
    .first("n")
  expect(runs).toBe(10 + 11 * COUNT)
})

it("events of 100 new addresses take as many round trips as one", async () => {
  const { team, bookId } = await makeStage()
  const sending = (from: number, count: number) =>
    metered(() =>
      team.api.post(
        "/events",
        Array.from({ length: count }, (_, n) => ({
          ...{ name: "joined", email: `n${from + n}@example.com`, bookId },
        })),
      ),
    )
  await sending(0, 1)
  const one = await sending(1_000, 1)
  const many = await sending(2_000, COUNT)
  expect(many.roundTrips).toBe(one.roundTrips)
  expect(many.rowsWritten).toBeLessThanOrEqual(COUNT * one.rowsWritten)
  const { body } = await team.api.get(`/contact-books/${bookId}`)
  expect(body.contactCount).toBe(2 + COUNT)
})

it("a page of runs is bounded, and the run of another team is in it", async () => {
  const stage = await makeStage()
  const id = await stage.addSequence({ steps: [wait("a", "300d")] })
  await env.DB.prepare(
    `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ?1)
     insert into sequence_runs (team_id, id, sequence_id, contact_id, version, since, state, due_at, started_at)
     select ?2, 'run_' || printf('%05d', n), ?3, 'ct_' || n, 1, 0, 'waiting', n, 0 from counted`,
  )
    .bind(20 * COUNT, stage.team.id, id)
    .run()
  const other = await makeStage()
  const theirs = await other.addSequence({ steps: [wait("a", "300d")] })
  await other.start(theirs, await other.addContact("ada@example.com"))
  stage.driver.clock.advance(60_000)
  let page: { teamId: string }[] = []
  const { rowsRead } = await metered(async () => {
    page = await readDueRuns(stage.driver.work)
  })
  expect(page.length).toBeLessThanOrEqual(RUNS_A_PAGE)
  expect(page.map(({ teamId }) => teamId)).toContain(other.team.id)
  expect(rowsRead).toBeLessThanOrEqual(20 * RUNS_A_PAGE)
})

it("the runs of a contact are read without those of others", async () => {
  const stage = await makeRuns([wait("a", "300d")], 5 * COUNT)
  const contactId = stage.contacts[0]?.id as string
  const { rowsRead } = await metered(() =>
    stage.team.api.get(`/sequences/${stage.id}/runs?contactId=${contactId}`),
  )
  expect(rowsRead).toBeLessThanOrEqual(35)
})
