import { beforeAll, expect, it } from "vitest"
import { request } from "../../support/api.ts"
import { makeCampaign, readers, start } from "../../support/campaign.ts"
import { eventually } from "../../support/eventually.ts"
import { makeInbox, messageTo, receive } from "../../support/receiving.ts"
import { makeStage, send, wait } from "../../support/sequence.ts"
import { sessionOf } from "../../support/session.ts"

let stage: Awaited<ReturnType<typeof makeStage>>
let count = 0
beforeAll(async () => {
  stage = await makeStage()
})

/** A contact in a sequence, with the first step done. */
async function begin(change: object, contact: object = {}) {
  const contactId = await stage.addContact(`e${++count}@example.com`, contact)
  const id = await stage.addSequence(change)
  await stage.start(id, contactId)
  await stage.pass()
  return { id, contactId }
}

const reply = async (emailId: string, headers: string[] = []) => {
  const { address } = await makeInbox(stage.team)
  const answer = `In-Reply-To: <${emailId}@${stage.team.domain}>`
  return receive(stage.team, address, messageTo(address, [answer, ...headers]))
}

const mailIdOf = async (id: string) =>
  (await stage.team.api.get(`/emails?sequenceId=${id}`)).body.data[0].id as string

it("a reply ends the run that it answers, unless the sequence says otherwise", async () => {
  const steps = [send("hello"), wait("pause"), send("again")]
  const ending = await begin({ steps })
  const going = await begin({ steps, endOnReply: false })
  for (const { id } of [ending, going]) await reply(await mailIdOf(id))
  await eventually(async () => {
    expect(await stage.runOf(ending.id, ending.contactId)).toMatchObject({
      ...{ state: "done", endedBy: "reply" },
      history: [{ stepKey: "hello" }],
    })
  })
  expect(await stage.runOf(going.id, going.contactId)).toMatchObject({ state: "waiting" })
  const { body } = await stage.team.api.get(`/sequences/${ending.id}`)
  expect(body.counts).toEqual({ entered: 1, active: 0, finished: 0, ended: 1 })
  const steps1 = (await stage.team.api.get(`/sequences/${ending.id}/steps`)).body
  expect(steps1.pause).toMatchObject({ waiting: 0, ended: 1 })
})

it("a reply withdraws mail that waits after the last step", async () => {
  const steps = [send("hello"), wait("pause"), send("again")]
  const { id, contactId } = await begin({ steps })
  const answered = await mailIdOf(id)
  await stage.driver.pass(24 * 60 + 2)
  expect(await stage.runOf(id, contactId)).toMatchObject({ state: "done", endedBy: "finished" })
  await reply(answered)
  await stage.driver.drain()
  expect(await stage.mailOf(id)).toMatchObject([{ status: "delivered" }, { status: "cancelled" }])
})

it("an automatic reply ends nothing", async () => {
  const { id, contactId } = await begin({ steps: [send("hello"), wait("pause")] })
  await reply(await mailIdOf(id), ["Auto-Submitted: auto-replied"])
  await stage.pass()
  expect(await stage.runOf(id, contactId)).toMatchObject({ state: "waiting" })
})

it("a campaign counts the emails that were answered", async () => {
  const id = await makeCampaign(stage.team, readers(1))
  await start(stage.team, id)
  await stage.pass()
  const { body } = await stage.team.api.get(`/emails?campaignId=${id}`)
  await reply(body.data[0].id)
  await reply(body.data[0].id)
  expect((await stage.team.api.get(`/campaigns/${id}`)).body.counts).toMatchObject({
    ...{ recipients: 1, replied: 1 },
  })
})

it.each([
  ["an unsubscription", "unsubscribed", { subscribed: false }],
  ["a property that reaches the goal", "goal", { properties: { plan: "pro" } }],
])("%s ends a run at once", async (_, endedBy, change) => {
  const goal = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
  const { id, contactId } = await begin({ goal, steps: [wait("pause")] })
  await stage.team.api.patch(`/contact-books/${stage.bookId}/contacts/${contactId}`, change)
  await stage.pass()
  expect(await stage.runOf(id, contactId)).toMatchObject({ state: "done", endedBy })
})

it("an event that reaches the goal ends a run at once", async () => {
  const goal = { all: [{ event: "order.paid" }] }
  const { id, contactId } = await begin({ goal, steps: [wait("pause")] })
  await stage.team.api.post("/events", { name: "order.paid", contactId })
  await stage.pass()
  expect(await stage.runOf(id, contactId)).toMatchObject({ state: "done", endedBy: "goal" })
})

it("a step that sets a property reaches the goal of its own run", async () => {
  const goal = { all: [{ field: "properties.plan", op: "is", value: "pro" }] }
  const set = { key: "s", kind: "set", properties: { plan: "pro" } }
  const { id, contactId } = await begin({ goal, steps: [set, send("never")] })
  expect(await stage.runOf(id, contactId)).toMatchObject({
    ...{ state: "done", endedBy: "goal", history: [{ stepKey: "s" }] },
  })
  expect(await stage.mailOf(id)).toEqual([])
})

it("two sequences that change a contact at the same time both do", async () => {
  const set = (property: object) => [{ key: "s", kind: "set", properties: property }]
  const contactId = await stage.addContact(`e${++count}@example.com`)
  const ids = [
    await stage.addSequence({ steps: set({ plan: "trial" }) }),
    await stage.addSequence({ steps: set({ tier: "gold" }) }),
  ]
  for (const id of ids) await stage.start(id, contactId)
  await stage.pass()
  const path = `/contact-books/${stage.bookId}/contacts/${contactId}`
  expect((await stage.team.api.get(path)).body.properties).toEqual({ plan: "trial", tier: "gold" })
  for (const id of ids) {
    expect(await stage.runOf(id, contactId)).toMatchObject({ endedBy: "finished" })
  }
})

it("an address that was erased gets no mail when it comes back as a contact", async () => {
  const contactId = await stage.addContact("erased@example.com")
  const cookie = await sessionOf(stage.team.id, "owner")
  const erasure = { email: "erased@example.com" }
  const { status } = await request("POST", "/dashboard/api/erasures", erasure, { cookie })
  expect(status).toBe(200)
  const again = await stage.addContact("erased@example.com")
  expect(again).not.toBe(contactId)
  const id = await stage.addSequence({ steps: [send("hello")] })
  await stage.start(id, again)
  await stage.pass()
  expect(await stage.runOf(id, again)).toMatchObject({ state: "done", endedBy: "suppressed" })
  expect(await stage.mailOf(id)).toEqual([])
})
