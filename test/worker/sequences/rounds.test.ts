import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { lookAtSequences } from "../../../src/worker/sequences/running/look.ts"
import { makeStage, wait } from "../../support/sequence.ts"
import { testWork } from "../../support/work.ts"

type Stage = Awaited<ReturnType<typeof makeStage>>
let stage: Stage
beforeAll(async () => {
  stage = await makeStage()
})

/** One more than a page. */
const RUNS = 1_001
const BATCHES = 51

/** Runs that wait for a person. Their sequence is paused, so nobody else looks at them. */
async function makeRuns() {
  const id = await stage.addSequence({ steps: [wait("pause")] })
  await stage.team.api.post(`/sequences/${id}/pause`, {})
  await env.DB.prepare(
    `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ?1)
     insert into sequence_runs (team_id, id, sequence_id, contact_id, version, step_key, since, state, started_at)
     select ?2, 'run_' || printf('%05d', n) || ?3, ?3, 'ct_' || n, 1, 'pause', 0, 'waiting', 0 from counted`,
  )
    .bind(RUNS, stage.team.id, id)
    .run()
  return id
}

const look = async (id: string) => {
  await env.DB.prepare("update sequences set look_at = 0 where id = ?").bind(id).run()
  await lookAtSequences(testWork().work)
}

const countOf = (table: string, id: string, condition = "1") =>
  env.DB.prepare(`select count(*) as n from ${table} where ${condition}`).bind(id).first("n")

describe("a look at a sequence", () => {
  it("wakes the run after the first page", async () => {
    const id = await makeRuns()
    await env.DB.prepare(
      `update sequences set wake = '{"cursor":"","keys":[],"held":false}' where id = ?`,
    )
      .bind(id)
      .run()
    await look(id)
    const asleep = "sequence_id = ? and state = 'waiting' and due_at is null and visit = 0"
    expect(await countOf("sequence_runs", id, asleep)).toBe(0)
  })

  it("deletes the run after the first page before the sequence", async () => {
    const id = await makeRuns()
    await env.DB.prepare("update sequences set deleted_at = 1 where id = ?").bind(id).run()
    await look(id)
    expect(await countOf("sequence_runs", id, "sequence_id = ?")).toBe(0)
    expect(await countOf("sequences", id, "id = ?")).toBe(0)
  })

  it("comes back for the held mail after the first page", async () => {
    const id = await stage.addSequence({ steps: [wait("pause")] })
    await env.DB.prepare(
      `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ?1)
       insert into held_campaign_batches (team_id, campaign_id, id, emails)
       select ?2, ?3, 'em_' || n, '[]' from counted`,
    )
      .bind(BATCHES, stage.team.id, id)
      .run()
    await look(id)
    await lookAtSequences(testWork().work)
    expect(await countOf("held_campaign_batches", id, "campaign_id = ?")).toBe(0)
  })
})
