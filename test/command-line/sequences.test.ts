import { expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { startApi } from "./fake-api.ts"
import { runCommand, start } from "./run.ts"
import { RECEIVED, routes, SIMULATION } from "./samples.ts"

const api = await startApi(routes)
const last = () => api.asked.at(-1)!

it("shows what would happen to a contact", async () => {
  const happenings = [{ at: "2026-12-02T09:00:00Z", event: "order.paid" }]
  const line = [
    "sequences",
    "simulate",
    "sqn_1",
    "--contact",
    "ct_1",
    "--at",
    "2026-12-01T09:00:00Z",
  ]
  const ran = await runCommand(api, [...line, "--happenings", JSON.stringify(happenings)])
  expect(last().body).toEqual({ contact: "ct_1", startAt: "2026-12-01T09:00:00Z", happenings })
  expect(ran.out).toMatch(/hello +send +Sends 'Hello'\.\nEnded: finished\./)
  expect((await runCommand(api, [...line, "--json"])).json).toEqual(SIMULATION)
})

it("tells of an event, by an address or by a contact", async () => {
  const options = ["--property", "plan=pro", "--book-id", "cb_1"]
  await runCommand(api, ["events", "send", "order.paid", "ada@example.com", ...options])
  const properties = { plan: "pro" }
  expect(last().body).toEqual({
    ...{ name: "order.paid", email: "ada@example.com", bookId: "cb_1", properties },
  })
  await runCommand(api, ["events", "send", "order.paid", "ct_1"])
  expect(last().body).toEqual({ name: "order.paid", contactId: "ct_1", properties: {} })
})

it("starts a sequence for contacts", async () => {
  await runCommand(api, ["sequences", "start", "sqn_1", "ct_1", "ct_2"])
  expect(last()).toMatchObject({
    path: "/sequences/sqn_1/contacts",
    body: { contactIds: ["ct_1", "ct_2"] },
  })
})

it("shows received mail and answers it", async () => {
  const ran = await runCommand(api, ["received", "list", "--from", "@example.com"])
  expect(last().query).toEqual({ from: "@example.com" })
  expect(ran.out).toMatch(/message +ada@example.com +Where is it\?/)
  expect((await runCommand(api, ["received", "get", "rcv_1", "--json"])).json).toEqual(RECEIVED)
  await runCommand(api, ["received", "reply", "thr_1", "On its way."])
  expect(last().body).toEqual({ text: "On its way." })
  await runCommand(api, ["received", "reply", "thr_1", "On its way.", "--received-id", "rcv_1"])
  expect(last().body).toEqual({ text: "On its way.", receivedId: "rcv_1" })
})

it.each(["received", "inbox"])("%s --follow tells of mail that was read, once", async (group) => {
  const live = await startApi({
    ...routes,
    "GET /received-emails/:id": ({ path }) => ({
      ...RECEIVED,
      id: path.split("/").at(-1),
      parsed: path.endsWith("unread") ? null : true,
    }),
  })
  const stop = new AbortController()
  const { ran, done } = start(live, [group, "--follow"], { signal: stop.signal })
  await eventually(() => expect(live.asked.at(-1)?.query).toEqual({ include: "received" }))
  await eventually(() => {
    live.change("received", "rcv_unread")
    live.change("received", "rcv_1")
    expect(ran.out).toContain("rcv_1")
  })
  live.change("received", "rcv_1")
  live.change("received", "rcv_2")
  await eventually(() => expect(ran.out).toContain("rcv_2"))
  stop.abort()
  expect(await done).toBe(0)
  expect(ran.out.match(/rcv_\w+/g)).toEqual(["rcv_1", "rcv_2"])
})
