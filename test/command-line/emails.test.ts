import { expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { page, refuse, startApi } from "./fake-api.ts"
import { runCommand, start } from "./run.ts"
import { EMAIL, EXPLANATION, event, routes } from "./samples.ts"

const api = await startApi(routes)
const last = () => api.asked.at(-1)!

it("lists a page of emails, as a table and as the API's JSON", async () => {
  const next = await startApi({ "GET /emails": () => ({ ...page(EMAIL), nextCursor: "next" }) })
  const filters = ["--status", "delivered", "--to", "ada@example.com", "--tag", "a:b"]
  const range = ["--since", "2026-03-01T00:00Z", "--until", "2026-04-01T00:00Z"]
  const args = ["emails", "list", ...filters, ...range, "--limit", "1", "--cursor", "c"]
  const ran = await runCommand(next, args)
  expect(ran.code).toBe(0)
  expect(ran.out).toMatch(/delivered +ada@example.com +Hi +em_1/)
  expect(ran.out).toContain("--cursor next")
  expect(next.asked.at(-1)?.query).toEqual({
    status: "delivered",
    to: "ada@example.com",
    tag: "a:b",
    since: "2026-03-01T00:00Z",
    until: "2026-04-01T00:00Z",
    limit: "1",
    cursor: "c",
  })
  expect((await runCommand(next, [...args, "--json"])).json).toEqual({
    data: [EMAIL],
    nextCursor: "next",
  })
  expect((await runCommand(api, ["emails", "list", "--limit", "many"])).code).toBe(2)
})

it("passes all filters of a list, and says how far it has looked", async () => {
  const searchedUntil = "2026-03-01T00:00:00.000Z"
  const far = await startApi({
    "GET /emails": () => ({ data: [], nextCursor: "next", searchedUntil }),
  })
  const args =
    "--status bounced --status failed --tag plan:pro --tag vip --to @example.com --subject invoice --domain-id dom_1 --template-id tpl_1 --campaign-id cmp_1 --key-id key_1 --opened true --clicked false"
  const ran = await runCommand(far, ["emails", "list", ...args.split(" ")])
  expect(ran.out).toBe(
    "None so far.\nSearched back to 2026-03-01T00:00:00.000Z.\nMore follow: --cursor next\n",
  )
  expect(far.asked.at(-1)?.url).toBe(
    "/api/v1/emails?status=bounced&status=failed&tag=plan%3Apro&tag=vip&to=%40example.com&subject=invoice&domainId=dom_1&templateId=tpl_1&campaignId=cmp_1&keyId=key_1&opened=true&clicked=false",
  )
  const refused = await runCommand(far, ["emails", "list", "--opened", "maybe"])
  expect(refused.code).toBe(2)
})

it("lists one recipient and the number of the others", async () => {
  const many = await startApi({
    "GET /emails": () =>
      page({ ...EMAIL, to: ["ada@example.com", "bob@example.com"], bcc: ["c@x.test"] }),
  })
  const { out } = await runCommand(many, ["emails", "list"])
  expect(out).toMatch(/delivered +ada@example.com and 2 more +Hi/)
})

it("removes control characters from subjects", async () => {
  const evil = await startApi({
    "GET /emails": () => page({ ...EMAIL, subject: "\x1b]0;evil\x07\r\nforged" }),
  })
  const ran = await runCommand(evil, ["emails", "list"])
  expect(ran.out).not.toContain("\x1b")
  expect(ran.out.trim().split("\n")).toHaveLength(2)
})

it("shows an email with its timeline", async () => {
  const ran = await runCommand(api, ["emails", "get", "em_1"])
  expect(ran.out).toMatch(/Subject +Hi/)
  expect(ran.out).toMatch(/sent\n.*delivered\n.*bounced\n$/)
  expect((await runCommand(api, ["emails", "get", "em_1", "--json"])).json.events).toHaveLength(3)
})

it("explains an email", async () => {
  const ran = await runCommand(api, ["emails", "explain", "em_1"])
  expect(ran.out).toContain("The address does not exist.")
  expect(ran.out).toContain("Nobody has this address. (unknown_user, 5.1.1)")
  expect(ran.out).toContain("1. Correct the address.")
  const asJson = await runCommand(api, ["emails", "explain", "em_1", "--json"])
  expect(asJson.json).toEqual(EXPLANATION)
})

it("cancels an email, and prints a refusal with its code and request id", async () => {
  expect((await runCommand(api, ["emails", "cancel", "em_1"])).out).toBe("em_1 cancelled\n")
  expect(last()).toMatchObject({ method: "POST", path: "/emails/em_1/cancel" })
  const refusing = await startApi({
    "POST /emails/:id/cancel": (_asked, response) =>
      refuse(response, 409, "conflict", "It is being sent."),
  })
  const ran = await runCommand(refusing, ["emails", "cancel", "em_1"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(ran.err).toBe("conflict: It is being sent. (request req_1)\n")
})

it("tails each event once, within a second, until the signal ends it", async () => {
  const emails: Record<string, object[]> = {
    em_old: [event("sent", 1, { occurredAt: "2026-01-01T00:00:00.000Z" }), event("opened", 2)],
    em_new: [event("sent", 3)],
  }
  const live = await startApi({
    "GET /emails/:id": ({ path }, response) => {
      const id = path.split("/")[2]!
      if (!emails[id]) return refuse(response, 404, "not_found", "Erased.")
      return { ...EMAIL, id, events: emails[id] }
    },
  })
  const stop = new AbortController()
  const { ran, done } = start(live, ["emails", "tail", "--json"], { signal: stop.signal })
  const told = () =>
    ran.out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map((one) => `${one.emailId} ${one.event.type}`)
  await eventually(() => expect(live.asked.some(({ path }) => path === "/stream")).toBe(true))
  await eventually(() => {
    live.change("email", "em_old")
    expect(told()).toEqual(["em_old opened"])
  })
  live.change("email", "em_gone")
  live.change("email", "em_new")
  await eventually(() => expect(told()).toHaveLength(2))
  emails.em_new?.push(event("bounced", 4), event("complained", 5))
  live.change("email", "em_new")
  live.change("email", "em_new")
  await eventually(() => expect(told()).toHaveLength(4))
  expect(told().slice(1)).toEqual(["em_new sent", "em_new bounced", "em_new complained"])
  stop.abort()
  expect(await done).toBe(0)
  expect(ran.err).toBe("")
})

it("tails one email from the start of its timeline, through all its pages", async () => {
  const live = await startApi({
    "GET /emails/:id": ({ query }) =>
      query.eventsCursor
        ? { ...EMAIL, events: [event("clicked", 2)] }
        : { ...EMAIL, events: [event("sent", 1)], eventsCursor: "more" },
  })
  const stop = new AbortController()
  const { ran, done } = start(live, ["emails", "tail", "em_1"], { signal: stop.signal })
  await eventually(() => expect(ran.out).toMatch(/sent .*\n.*clicked .*\n$/))
  stop.abort()
  expect(await done).toBe(0)
})

it("a tail ends with 1 when a read is refused", async () => {
  const live = await startApi({
    "GET /emails/:id": (_asked, response) => refuse(response, 403, "forbidden", "No."),
  })
  const { ran, done } = start(live, ["emails", "tail"])
  const telling = setInterval(() => live.change("email", "em_1"), 20)
  expect(await done.finally(() => clearInterval(telling))).toBe(1)
  expect(ran.err).toBe("forbidden: No. (request req_1)\n")
})

it("a tail ends with 1 when the key is refused, and when the email is unknown", async () => {
  const refusing = await startApi({
    "GET /stream": (_asked, response) => refuse(response, 403, "forbidden", "A full key only."),
  })
  const ran = await runCommand(refusing, ["emails", "tail"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(ran.err).toContain("forbidden: A full key only.")
  const unknown = await runCommand(await startApi(), ["emails", "tail", "em_9"])
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.err).toContain("not_found")
})
