import { beforeAll, describe, expect, it } from "vitest"
import { DAY_MS } from "../../../src/lib/time.ts"
import { decide } from "../../../src/worker/sequences/running/decide.ts"
import { readDueRuns } from "../../../src/worker/sequences/running/due.ts"
import { readShared } from "../../../src/worker/sequences/running/shared.ts"
import { writeDecisions } from "../../../src/worker/sequences/running/write.ts"
import { makeStage, wait } from "../../support/sequence.ts"

let stage: Awaited<ReturnType<typeof makeStage>>
let count = 0
beforeAll(async () => {
  stage = await makeStage()
})

const waitFor = (key: string) => ({
  ...{ key, kind: "waitFor", event: "paid", timeout: "3d", else: [] },
  [`${"th"}en`]: [],
})
const later = (ms = 1_000) => stage.driver.clock.advance(ms)

async function begin(change: object) {
  const contactId = await stage.addContact(`r${++count}@example.com`)
  const id = await stage.addSequence(change)
  await stage.start(id, contactId)
  later()
  return { id, contactId, path: `/contact-books/${stage.bookId}/contacts/${contactId}` }
}

/** Moves what is due. Something happens between the reading and the writing. */
async function moveDue(happen: () => Promise<unknown>) {
  const { work } = stage.driver
  const runs = await readDueRuns(work)
  const shared = await readShared(work, runs)
  const decisions = runs.flatMap((run) => {
    const facts = shared.get(run.sequenceId)
    return facts ? decide(run, facts, work.now()) : []
  })
  expect(decisions).toHaveLength(1)
  later()
  await happen()
  expect(await writeDecisions(work, decisions)).toBe(1)
}

describe("a run that is being moved misses", () => {
  it.each([
    ["first", [waitFor("w")]],
    ["next", [wait("pause"), waitFor("w")]],
  ])("no event that its %s step waits for", async (_, steps) => {
    const { id, contactId } = await begin({ steps })
    if (steps.length > 1) {
      await stage.pass()
      later(DAY_MS)
    }
    await moveDue(() => stage.event("paid", contactId))
    await stage.pass()
    const { history } = await stage.runOf(id, contactId)
    expect(history.at(-1)).toMatchObject({ stepKey: "w", outcome: "event" })
  })

  const patch = (change: object) => (path: string) => stage.team.api.patch(path, change)
  it.each([
    ["goal", patch({ properties: { plan: "pro" } })],
    ["unsubscribed", patch({ subscribed: false })],
    ["deleted", (path: string) => stage.team.api.delete(path)],
  ])("no change that ends it as %s", async (endedBy, change) => {
    const goal = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
    const { id, contactId, path } = await begin({ goal, steps: [wait("pause")] })
    await moveDue(() => change(path))
    await stage.pass()
    expect(await stage.runOf(id, contactId)).toMatchObject({ state: "done", endedBy })
  })
})

it("an event after the entry of a contact counts, also where the run is moved later", async () => {
  const steps = [{ key: "tell", kind: "notify" }, waitFor("w")]
  const { id, contactId } = await begin({ steps })
  await stage.event("paid", contactId)
  await stage.pass()
  await stage.pass()
  const { history } = await stage.runOf(id, contactId)
  expect(history).toMatchObject([{ stepKey: "tell" }, { stepKey: "w", outcome: "event" }])
})
