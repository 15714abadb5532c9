import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { newId } from "../../../src/lib/id.ts"
import { purgeReceived } from "../../../src/worker/received/purge.ts"
import { eventually } from "../../support/eventually.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { makeTeam, type Team } from "../../support/team.ts"
import { makeClock, testWork } from "../../support/work.ts"

const DAY_MS = 24 * 3_600_000

it("creates, lists, changes and deletes inboxes", async () => {
  const team = await makeTeam()
  const support = await makeInbox(team, "Support", { name: " Help " })
  expect(support).toEqual({
    id: expect.stringMatching(/^inb_/),
    address: `support@${team.domain}`,
    domainId: team.domainId,
    name: "Help",
    forwardingAddress: expect.stringMatching(/^[0-9a-z]{26}-\d+@in\./),
    retentionDays: 90,
    createdAt: expect.any(String),
  })
  const all = await makeInbox(team, "*", { retentionDays: 7 })
  expect((await team.api.get("/inboxes")).body.data).toEqual([all, support])
  const changed = await team.api.patch(`/inboxes/${support.id}`, { name: null })
  expect(changed.body).toEqual({ ...support, name: null })
  expect((await team.api.get(`/inboxes/${support.id}`)).body).toEqual(changed.body)
  expect((await team.api.delete(`/inboxes/${support.id}`)).status).toBe(204)
  expect((await team.api.delete(`/inboxes/${support.id}`)).status).toBe(404)
  expect((await makeInbox(team)).id).not.toBe(support.id)
})

it("refuses what an inbox cannot be", async () => {
  const team = await makeTeam()
  await makeInbox(team)
  const post = (input: object) => team.api.post("/inboxes", input)
  for (const address of ["a@elsewhere.test", "no address", "*@"])
    expect((await post({ address })).status).toBe(400)
  const address = `a@${team.domain}`
  for (const retentionDays of [0, 3651, 1.5])
    expect((await post({ address, retentionDays })).status).toBe(400)
  expect((await post({ address: `support@${team.domain}` })).status).toBe(409)
  const stranger = await makeTeam()
  expect((await stranger.api.post("/inboxes", { address })).status).toBe(400)
  expect((await team.api.delete(`/domains/${team.domainId}`)).status).toBe(409)
})

const objects = async ({ id }: Team) =>
  (await env.CONTENT.list({ prefix: `received/${id}/` })).objects.length

it("deletes the mail of a deleted inbox", async () => {
  const team = await makeTeam()
  const [gone, stays] = [await makeInbox(team), await makeInbox(team, "sales")]
  const received = await receive(team, gone.address, messageTo(gone.address))
  const other = await receive(team, stays.address, messageTo(stays.address))
  await team.api.delete(`/inboxes/${gone.id}`)
  const list = async (path: string) =>
    (await team.api.get(path)).body.data.map(({ id }: { id: string }) => id)
  expect(await list("/received-emails")).toEqual([other.id])
  expect(await list("/threads")).toEqual([other.threadId])
  expect((await team.api.get(`/received-emails/${received.id}`)).status).toBe(404)
  await eventually(async () => {
    await purgeReceived(testWork().work)
    expect(await objects(team)).toBe(1)
  })
})

it("deletes mail after the days of its inbox", async () => {
  const team = await makeTeam()
  const [week, year] = [
    await makeInbox(team, "week", { retentionDays: 7 }),
    await makeInbox(team, "year", { retentionDays: 365 }),
  ]
  await receive(team, week.address, messageTo(week.address))
  const kept = await receive(team, year.address, messageTo(year.address))
  const clock = makeClock()
  await purgeReceived(testWork({ clock }).work)
  expect(await objects(team)).toBe(2)
  clock.advance(8 * DAY_MS)
  await purgeReceived(testWork({ clock }).work)
  expect(await objects(team)).toBe(1)
  const { body } = await team.api.get("/received-emails")
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([kept.id])
  expect((await team.api.get("/threads")).body.data).toHaveLength(1)
})

it("deletes the old mail after the first round, and not that of another inbox between", async () => {
  const team = await makeTeam()
  const week = await makeInbox(team, "week", { retentionDays: 7 })
  const year = await makeInbox(team, "year", { retentionDays: 365 })
  const sentAt = Date.now() - 8 * DAY_MS
  const rows = Array.from({ length: 202 }, (_, index) => ({
    id: newId("received", sentAt + index),
    inbox: index === 100 ? year.id : week.id,
  }))
  await env.DB.batch([
    env.DB.prepare(
      `insert into received_emails (team_id, id, inbox_id, kind, sender, envelope_from, envelope_to, parsed, size, created_at, object_key)
       select ?1, value ->> 'id', value ->> 'inbox', 'message', '{}', '', '', 1, 1, 0, value ->> 'id' from json_each(?2)`,
    ).bind(team.id, JSON.stringify(rows)),
    env.DB.prepare("update inboxes set purge_at = 0 where team_id = ?").bind(team.id),
  ])
  await purgeReceived(testWork().work)
  await purgeReceived(testWork().work)
  const left = await env.DB.prepare("select id from received_emails where team_id = ?")
    .bind(team.id)
    .all()
  expect(left.results).toEqual([{ id: rows[100]?.id }])
})
