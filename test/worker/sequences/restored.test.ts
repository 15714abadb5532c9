import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { COUNT_HELD_RUNS, holdDueRuns } from "../../../src/worker/sequences/runs/restored.sql.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"

it("runs that were due before a restore are held until somebody resumes them", async () => {
  const stage = await makeStage()
  const { team, driver } = stage
  const id = await stage.addSequence({ steps: [send("hello"), wait("pause"), send("again")] })
  const due = await stage.addContact("due@example.com")
  await stage.start(id, due)
  await stage.pass()
  driver.clock.advance(2 * 24 * 60 * 60_000)
  const later = await stage.addContact("later@example.com")
  await env.DB.prepare(
    `insert into sequence_runs (team_id, id, sequence_id, contact_id, version, step_key, since, state, due_at, started_at)
     values (?1, 'run_later', ?2, ?3, 1, 'pause', ?4, 'waiting', ?5, ?4)`,
  )
    .bind(team.id, id, later, driver.clock.now(), driver.clock.now() + 24 * 60 * 60_000)
    .run()
  await env.DB.prepare(holdDueRuns(driver.clock.now())).run()
  expect(await env.DB.prepare(COUNT_HELD_RUNS).first("count(*)")).toBe(1)
  await stage.pass()
  expect(await stage.runOf(id, due)).toMatchObject({
    state: "held",
    waitingFor: "A person: The run was due before the restore, and may have gone on since.",
  })
  expect(await stage.runOf(id, later)).toMatchObject({ state: "waiting" })
  expect(await stage.mailOf(id)).toHaveLength(1)
  await team.api.post(`/sequences/${id}/resume`, {})
  await stage.pass()
  expect(await stage.runOf(id, due)).toMatchObject({ state: "done", endedBy: "finished" })
  expect(await stage.mailOf(id)).toMatchObject([
    { subject: "Mail hello" },
    { subject: "Mail again" },
  ])
})

it("a run that had not begun before a restore is counted when it does", async () => {
  const stage = await makeStage()
  const id = await stage.addSequence({ steps: [wait("pause")] })
  await stage.start(id, await stage.addContact("new@example.com"))
  await env.DB.prepare(holdDueRuns(stage.driver.clock.now())).run()
  await stage.team.api.post(`/sequences/${id}/resume`, {})
  await stage.pass()
  const { body } = await stage.team.api.get(`/sequences/${id}`)
  expect(body.counts).toMatchObject({ entered: 1, active: 1 })
})
