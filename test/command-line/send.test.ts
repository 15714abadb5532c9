import { join } from "node:path"
import { expect, it } from "vitest"
import { refuse, startApi } from "./fake-api.ts"
import { folder, runCommand } from "./run.ts"
import { CHECK, routes, writeFiles } from "./samples.ts"

const api = await startApi(routes)
writeFiles(folder)
const to = ["--from", "a@demo.test", "--to", "b@example.com", "--subject", "Hi"]
const last = () => api.asked.at(-1)!

it("sends what its options say", async () => {
  const ran = await runCommand(api, [
    "send",
    ...to,
    ...["--to", "c@example.com", "--cc", "d@example.com", "--reply-to", "e@example.com"],
    ...["--text", "", "--html-file", join(folder, "letter.html")],
    ...["--attach", join(folder, "bill.pdf"), "--tag", "kind=bill", "--header", "X-Kind: a:b"],
    ...["--at", "2026-11-21T09:30:00Z"],
  ])
  expect(ran).toMatchObject({ code: 0, out: "em_1\n", err: "" })
  expect(last().body).toEqual({
    from: "a@demo.test",
    to: ["b@example.com", "c@example.com"],
    cc: ["d@example.com"],
    replyTo: ["e@example.com"],
    subject: "Hi",
    text: "",
    html: "<p>Hi there</p>",
    attachments: [{ filename: "bill.pdf", content: btoa("%PDF-1.7") }],
    tags: { kind: "bill" },
    headers: { "X-Kind": "a:b" },
    scheduledAt: "2026-11-21T09:30:00Z",
  })
})

it("takes the text from standard input if no body is given", async () => {
  await runCommand(api, ["send", ...to], { input: "Grüße\n" })
  expect(last().body.text).toBe("Grüße\n")
  await runCommand(api, ["send", ...to, "--template", "welcome", "--variable", "name=Ada=B"], {
    input: "unused",
  })
  expect(last().body).toMatchObject({ template: "welcome", variables: { name: "Ada=B" } })
  expect(last().body).not.toHaveProperty("text")
})

it("reads a whole message from a file or standard input, and options win", async () => {
  const input = JSON.stringify({ to: "x@example.com", text: "Hi", variables: { n: 1 } })
  await runCommand(api, ["send", "--input", "-", "--to", "b@example.com"], { input })
  expect(last().body).toEqual({ to: ["b@example.com"], text: "Hi", variables: { n: 1 } })
})

it("fills the template: texts by their names, and values of other types from JSON", async () => {
  const variables = (...args: string[]) =>
    runCommand(api, ["send", ...to, "--template", "receipt", ...args])
  await variables("--variable", "name=Ada", "--variable", "order.number=5", "--variable", "a.b.c=1")
  expect(last().body.variables).toEqual({
    name: "Ada",
    order: { number: "5" },
    a: { b: { c: "1" } },
  })
  const json = '{"order":{"total":12.5,"paid":true},"name":"Bob"}'
  await variables("--variables", json, "--variable", "order.number=5", "--variable", "name=Ada")
  expect(last().body.variables).toEqual({
    order: { total: 12.5, paid: true, number: "5" },
    name: "Ada",
  })
  await variables("--variable", "__proto__.admin=yes")
  expect(({} as { admin?: string }).admin).toBeUndefined()
})

it("repeats a send whose answer is lost, with one idempotency key", async () => {
  const replies = [
    (response: Parameters<typeof refuse>[0]) =>
      refuse(response.setHeader("retry-after", "0"), 503, "internal_error", "Later."),
  ]
  const flaky = await startApi({
    "POST /emails": (_asked, response) => replies.shift()?.(response) ?? { id: "em_2" },
  })
  const ran = await runCommand(flaky, ["send", ...to, "--text", "Hi", "--json"])
  expect(ran.json).toEqual({ id: "em_2" })
  const keys = flaky.asked.map(({ headers }) => headers["idempotency-key"])
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys).toEqual([keys[0], keys[0]])
  await runCommand(api, ["send", ...to, "--text", "Hi", "--idempotency-key", "mine"])
  expect(last().headers["idempotency-key"]).toBe("mine")
})

it("keeps the idempotency key of the message", async () => {
  const input = JSON.stringify({ text: "Hi", idempotencyKey: "in the message" })
  await runCommand(api, ["send", "--input", "-"], { input })
  expect(last().headers).not.toHaveProperty("idempotency-key")
})

it.each([
  [["--attach", "/nowhere/bill.pdf"], "bill.pdf"],
  [["--tag", "kind"], "--tag"],
  [["--variables", "[1]"], "--variables needs a JSON object"],
  [["--variables", "{"], "--variables needs JSON"],
  [["--variable", "a=1", "--variable", "a.b=2"], "a has a value itself"],
  [["--variable", "a.b=2", "--variable", "a=1"], "there are values below a"],
  [["--input", "/nowhere.json"], "/nowhere.json"],
  [["--html-file", "-", "--text-file", "-"], "once"],
])("sends nothing when it is called wrongly: %j", async (args, said) => {
  const before = api.asked.length
  const ran = await runCommand(api, ["send", ...to, ...args], { input: "Hi" })
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err).toContain(said)
  expect(api.asked).toHaveLength(before)
})

it("sends a whole message as it is", async () => {
  const raw = ["send", "--raw", join(folder, "message.eml"), "--to", "b@example.com"]
  const ran = await runCommand(api, [...raw, "--to", "c@example.com", "--tag", "kind=bill"])
  expect(ran).toMatchObject({ code: 0, out: "em_1\n", err: "" })
  expect(last()).toMatchObject({
    url: "/api/v1/emails/raw?to=b%40example.com&to=c%40example.com&tag=kind%3Abill",
    body: "From: hello@demo.test\r\nSubject: Hi\r\n\r\nHi\r\n",
    headers: { "content-type": "message/rfc822", "idempotency-key": expect.any(String) },
  })
  await runCommand(api, ["send", "--raw", "-", "--to", "b@example.com"], { input: "Grüße" })
  expect(last().body).toBe("Grüße")
})

it.each([
  [["--raw", "-"], "--to"],
  [["--raw", "-", "--to", "b@example.com", "--reply-to", "a@example.com"], "--reply-to"],
  [["--raw", "-", "--to", "b@example.com", "--check"], "--check"],
])("sends no raw message when it is called wrongly: %j", async (args, said) => {
  const before = api.asked.length
  const ran = await runCommand(api, ["send", ...args], { input: "Hi" })
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err).toContain(said)
  expect(api.asked).toHaveLength(before)
})

it.each([["check"], ["send", "--check"]])("%s %s only checks", async (...words) => {
  const ran = await runCommand(api, [...words, ...to, "--text", "Hi"])
  expect(ran.code).toBe(0)
  expect(ran.out).toContain("Would be sent")
  expect(ran.out).toContain("Publish one.")
  expect(last().path).toBe("/emails/check")
  const asJson = await runCommand(api, [...words, ...to, "--text", "Hi", "--json"])
  expect(asJson.json).toEqual(CHECK)
})

it("a check exits with 1 if the email would not be sent", async () => {
  const since = "2026-11-20T09:30:00.000Z"
  const suppressed = { reason: "bounce", since, sourceEmailId: null }
  const refusing = await startApi({
    "POST /emails/check": () => ({
      ...CHECK,
      wouldSend: false,
      refusal: { code: "suppressed_recipient", message: "b@example.com is suppressed." },
      recipients: [{ address: "b@example.com", suppressed }],
    }),
  })
  const ran = await runCommand(refusing, ["check", ...to, "--text", "Hi"])
  expect(ran).toMatchObject({ code: 1, err: "" })
  expect(ran.out).toContain("Would not be sent: b@example.com is suppressed.")
  expect(ran.out).toContain(`suppressed (bounce) since ${since}`)
})
