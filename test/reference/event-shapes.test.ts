import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as z from "zod"
import { sentEvents } from "../../src/reference/event-shapes.ts"
import { confirmUrl } from "../../src/worker/contacts/links/recipient-link.ts"
import { placeOf } from "../../src/worker/platform/db/databases.ts"
import { readSettings } from "../../src/worker/platform/env.ts"
import { sweepSequences } from "../../src/worker/sequences/running/sweep.ts"
import { request } from "../support/api.ts"
import { makeCampaign } from "../support/campaign.ts"
import { eventually } from "../support/eventually.ts"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { makeInbox, messageTo, receive } from "../support/receiving.ts"
import { send, sequenceInput } from "../support/sequence.ts"
import { addDomain, makeTeam, type Team } from "../support/team.ts"
import { testWork } from "../support/work.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

const shapes = new Map<string, z.ZodType>(sentEvents().map(({ type, schema }) => [type, schema]))

/** Asks a person to confirm, who does. */
async function confirmContact({ id: teamId, api, domain }: Team) {
  const input = { name: "Asked", defaultFrom: `news@${domain}` }
  const bookId = (await api.post("/contact-books", input)).body.id
  const email = "grace@example.com"
  const contact = { email, confirm: true }
  const contactId = (await api.post(`/contact-books/${bookId}/contacts`, contact)).body.id
  const asked = await api.get(`/contact-books/${bookId}/contacts/${contactId}/consent`)
  const link = { teamId, bookId, contactId, id: asked.body.data[0].id, email, ...placeOf(env) }
  await request("POST", new URL(confirmUrl(readSettings(env), link)).pathname)
}

/** A run that is finished, and one that is held, since the domain of its mail lost its proof. */
async function runSequences(team: Team, bookId: string, contactId: string) {
  const { api } = team
  const name = `lost.${team.domain}`
  const lost = { domainId: await addDomain(team.id, name), from: `news@${name}` }
  const sequences = [
    { steps: [{ key: "tell", kind: "notify" }] },
    { ...lost, steps: [send("hello")] },
  ]
  const ids: string[] = []
  for (const change of sequences) {
    const input = { ...sequenceInput(team, bookId), ...change }
    const { id } = (await api.post("/sequences", input)).body
    expect((await api.post(`/sequences/${id}/activate`, {})).status).toBe(200)
    ids.push(id)
  }
  await env.DB.prepare("update domains set status = 'pending' where id = ?")
    .bind(lost.domainId)
    .run()
  for (const id of ids) {
    const { body } = await api.post(`/sequences/${id}/contacts`, { contactIds: [contactId] })
    expect(body).toEqual({ started: 1, skipped: 0 })
  }
  await sweepSequences(testWork().work)
}

it("events are as the OpenAPI document describes them, with no member left out", async () => {
  const team = await makeTeam()
  const { api, domain } = team
  const events = [...shapes.keys()]
  const webhook = await api.post("/webhooks", { url: "https://receiver.example.com/", events })
  await api.patch(`/webhooks/${webhook.body.id}`, { enabled: false })
  for (const mailbox of ["success", "bounce", "complaint", "delay", "reject"]) {
    await api.post("/emails", {
      from: `hi@${domain}`,
      to: `${mailbox}@simulator.amazonses.com`,
      subject: "Hi",
      text: "Hi",
    })
  }
  const added = await api.post("/domains", { name: `failed.${domain}` })
  await api.post(`/domains/${added.body.id}/verify`)
  const book = (await api.post("/contact-books", { name: "Readers" })).body.id
  const contacts = `/contact-books/${book}/contacts`
  const { id } = (await api.post(contacts, { email: "ada@example.com" })).body
  for (const change of [{ firstName: "Ada" }, { subscribed: false }, { subscribed: true }]) {
    await api.patch(`${contacts}/${id}`, change)
  }
  await confirmContact(team)
  await runSequences(team, book, id)
  await api.post(`/campaigns/${await makeCampaign(team)}/send`)
  const { address } = await makeInbox(team)
  const asked = await api.post("/emails", {
    from: address,
    to: "ada@example.com",
    subject: "Hi",
    text: "Hi",
  })
  await receive(team, address, messageTo(address, [`In-Reply-To: <${asked.body.id}@${domain}>`]))
  const expected = events.filter(
    (type) => !["email.opened", "email.clicked", "domain.verified"].includes(type),
  )
  await eventually(async () => {
    const { body } = await api.get("/events?limit=100")
    const types = body.data.map(({ type }: { type: string }) => type)
    expect(types).toEqual(expect.arrayContaining(expected))
  })
  const { body } = await api.get("/events?limit=100")
  for (const { sequence: _, ...event } of body.data) {
    const shape = shapes.get(event.type) as z.ZodType<unknown, unknown>
    expect(z.encode(shape, z.decode(shape, event))).toEqual(event)
  }
})

it("a test event is one of them", () => {
  const event = {
    id: "evt_1",
    type: "email.delivered",
    createdAt: "2026-11-20T09:30:00.000Z",
    data: { test: true },
  }
  expect(shapes.get("email.delivered")?.safeParse(event).success).toBe(true)
  expect(shapes.get("email.sent")?.safeParse({ ...event, type: "email.sent" }).success).toBe(false)
})
