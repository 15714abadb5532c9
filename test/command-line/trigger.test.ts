import { expect, it } from "vitest"
import { EVENT_TYPES } from "../../src/worker/webhooks/events/types.ts"
import { page, startApi } from "./fake-api.ts"
import { runCommand } from "./run.ts"
import { DOMAIN, event, MESSAGE, routes } from "./samples.ts"

const open = (provider: string, more: Parameters<typeof startApi>[0] = {}) =>
  startApi({
    ...routes,
    "GET /domains": () => page({ ...DOMAIN, status: "verified", provider }),
    ...more,
  })

it("mails the simulator's mailbox of the event, and waits for the event", async () => {
  let read = 0
  const api = await open("ses", {
    "GET /emails/:id": () => ({ events: read++ > 0 ? [event("bounced", 3)] : [] }),
  })
  const ran = await runCommand(api, ["trigger", "email.bounced", "--json"])
  expect(ran.json).toMatchObject({ event: "email.bounced", emailId: "em_1", eventId: "evt_3" })
  const { body } = api.asked.find(({ method }) => method === "POST")!
  expect(body).toMatchObject({ from: "trigger@mail.example.com" })
  expect(body.to).toMatch(/^bounce\+trigger-[0-9a-f]{8}@simulator.amazonses.com$/)
  expect(ran.json.steps).toEqual([`Sent em_1 from ${body.from} to ${body.to}.`])
  expect(read).toBe(2)
})

it("follows the tracked link of its own email on this installation", async () => {
  const followed: string[] = []
  const api = await open("sandbox", {
    "GET /sandbox/messages": () =>
      page({ ...MESSAGE, html: '<a href="https://elsewhere.test/t/c/abc-1">x</a>' }),
    "GET /emails/:id": () => ({
      events: [event("delivered", 1), ...followed.map(() => event("clicked", 2))],
    }),
    "GET /t/c/abc-1": ({ path }) => followed.push(path),
  })
  const ran = await runCommand(api, ["trigger", "email.clicked"])
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(ran.out).toContain("email.clicked happened.")
  expect(followed).toHaveLength(1)
})

it("changes a contact of a new book, and removes the book", async () => {
  const api = await open("smtp")
  await runCommand(api, ["trigger", "contact.resubscribed"])
  const made = api.asked.filter(({ method }) => method !== "GET")
  expect(made.map(({ method, path, body }) => [method, path, body?.subscribed])).toEqual([
    ["POST", "/contact-books", undefined],
    ["POST", "/contact-books/cb_1/contacts", undefined],
    ["PATCH", "/contact-books/cb_1/contacts/con_1", false],
    ["PATCH", "/contact-books/cb_1/contacts/con_1", true],
    ["DELETE", "/contact-books/cb_1", undefined],
  ])
})

it.each(EVENT_TYPES.filter((type) => !type.startsWith("contact.")))(
  "mails nobody where the provider has no simulator: %s",
  async (type) => {
    const api = await open("smtp")
    const ran = await runCommand(api, ["trigger", type])
    expect(ran).toMatchObject({ code: 2, out: "" })
    expect(ran.err).toContain("smtp cannot play this event")
    expect(api.asked.filter(({ method }) => method !== "GET")).toEqual([])
  },
)

it("needs a known event and a verified domain", async () => {
  expect((await runCommand(await open("ses"), ["trigger", "email.nope"])).code).toBe(2)
  const api = await startApi({ "GET /domains": () => page(DOMAIN) })
  const ran = await runCommand(api, ["trigger", "email.sent"])
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("No domain is verified") })
})
