import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { sha256Hex } from "../../../src/lib/crypto.ts"
import { createKeyCtx } from "../../../src/worker/access/key-guard.ts"
import { eraseAddress } from "../../../src/worker/erasure/erase.ts"
import { sweepSegments } from "../../../src/worker/segments/count.ts"
import { updateSegment } from "../../../src/worker/segments/segments.ts"
import { campaignInput, makeBook } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { interruptedDb } from "../../support/interrupted-db.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const containing = (value: string) => ({ all: [{ field: "email", op: "contains", value }] })
const ADA = "ada@example.com"
const CHANGE = /update "segments"/

async function makeSegment(team: Team, value: string) {
  const bookId = await makeBook(team, [ADA, "ann@in.test", "bob@in.test"])
  const input = { bookId, name: "Some", filter: containing(value) }
  const { id } = (await team.api.post("/segments", input)).body
  const path = `/segments/${id}`
  await eventually(async () =>
    expect((await team.api.get(path)).body.contactCount).toBeTypeOf("number"),
  )
  return { id, path, bookId }
}

const ctxOf = (team: Team, { work } = testWork()) =>
  createKeyCtx(work, sha256Hex(team.api.key), "full")

it("a count of a former filter is dropped, also if two changes have the same time", async () => {
  const team = await makeTeam()
  const { id, path } = await makeSegment(team, "@in.")
  const clock = makeClock()
  await env.DB.prepare(
    "update segments set contact_count = null, updated_at = ?1, count_due_at = ?1 where id = ?2",
  )
    .bind(clock.now(), id)
    .run()
  const { work } = testWork({ clock })
  const ctx = ctxOf(team, { ...testWork(), work: { ...work, defer: () => {} } })
  const DB = interruptedDb(CHANGE, () => updateSegment(ctx, id, { filter: containing("ann@") }))
  await sweepSegments(testWork({ clock, settings: { DB } }).work)
  expect((await team.api.get(path)).body.contactCount).not.toBe(2)
  await eventually(async () => {
    await sweepSegments(work)
    expect((await team.api.get(path)).body.contactCount).toBe(1)
  })
})

it("an erasure keeps a filter that was changed meanwhile, and takes the address out of it", async () => {
  const team = await makeTeam()
  const { path } = await makeSegment(team, ADA)
  const filter = { any: [...containing("@in.").all, ...containing(`<${ADA}>`).all] }
  const DB = interruptedDb(CHANGE, () => team.api.patch(path, { name: `Not ${ADA}`, filter }))
  await eraseAddress(ctxOf(team, testWork({ settings: { DB } })), ADA)
  const { body } = await team.api.get(path)
  expect(body.filter.any[0]).toEqual(filter.any[0])
  expect(body.filter.any[1].value).toMatch(/^<.*@erased\.invalid>$/)
  expect(body.name).toMatch(/^Not .*@erased\.invalid$/)
})

it("an erasure finds the filter of a campaign that starts meanwhile", async () => {
  const team = await makeTeam()
  const { id: segmentId, bookId } = await makeSegment(team, ADA)
  const input = { ...campaignInput(team, bookId), segmentId }
  const { body: campaign } = await team.api.post("/campaigns", input)
  const send = () => team.api.post(`/campaigns/${campaign.id}/send`)
  const DB = interruptedDb(CHANGE, send)
  await eraseAddress(ctxOf(team, testWork({ settings: { DB } })), ADA)
  const run = await env.DB.prepare("select segment_filter from campaign_runs where campaign_id = ?")
    .bind(campaign.id)
    .first()
  expect(run?.segment_filter).toContain("@erased.invalid")
  expect(run?.segment_filter).not.toContain(ADA)
})
