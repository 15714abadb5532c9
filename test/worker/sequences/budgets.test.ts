import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
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
