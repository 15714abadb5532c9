import { afterAll, beforeAll, expect, it } from "vitest"
import * as z from "zod"
import { sentEvents } from "../../src/reference/event-shapes.ts"
import { makeCampaign } from "../support/campaign.ts"
import { eventually } from "../support/eventually.ts"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { makeInbox, messageTo, receive } from "../support/receiving.ts"
import { makeTeam } from "../support/team.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

const shapes = new Map<string, z.ZodType>(sentEvents().map(({ type, schema }) => [type, schema]))

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
