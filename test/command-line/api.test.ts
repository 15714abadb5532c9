import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { refuse, startApi } from "./fake-api.ts"
import { folder, KEY, runCommand } from "./run.ts"

const MESSAGE = Buffer.from("Subject: \xdc\r\n\r\n", "latin1")
const api = await startApi({
  "GET /emails": () => ({ data: [], nextCursor: null }),
  "POST /emails": () => ({ id: "em_1" }),
  "POST /emails/raw": () => ({ id: "em_1" }),
  "GET /emails/:id/raw": (_asked, response) => response.end(MESSAGE),
  "GET /received-emails/:id/attachments/:id": (_asked, response) => response.end(MESSAGE),
  "DELETE /webhooks/:id": () => undefined,
  "PATCH /webhooks/:id": (_asked, response) =>
    refuse(response, 400, "validation_error", "Nothing to change."),
})
const last = () => api.asked.at(-1)!

it("makes any call with the key, and prints the reply", async () => {
  const args = ["api", "get", "/emails?limit=5", "--query", "status=sent", "--query", "tag=a b&c"]
  const ran = await runCommand(api, args)
  expect(ran).toMatchObject({ code: 0, out: '{\n  "data": [],\n  "nextCursor": null\n}\n' })
  expect(last()).toMatchObject({ query: { limit: "5", status: "sent", tag: "a b&c" } })
  expect(last().headers.authorization).toBe(`Bearer ${KEY}`)
  expect((await runCommand(api, ["api", "GET", "api/v1/emails"])).code).toBe(0)
  const deleted = await runCommand(api, ["api", "DELETE", "/webhooks/wh_1", "--json"])
  expect(deleted.json).toEqual({ done: true })
})

it("reads the body from the argument, a file or standard input", async () => {
  const body = { subject: "Hi", to: ["ada@example.com"] }
  const text = JSON.stringify(body)
  writeFileSync(join(folder, "body.json"), text)
  for (const data of [text, `@${join(folder, "body.json")}`, "-"]) {
    await runCommand(api, ["api", "POST", "/emails", "--data", data], { input: text })
    expect(last()).toMatchObject({ method: "POST", path: "/emails", body })
  }
})

it("writes a message or a file as it is, but not onto a terminal", async () => {
  for (const path of ["/emails/em_1/raw", "/received-emails/rcv_1/attachments/att_1?a=b"]) {
    const ran = await runCommand(api, ["api", "GET", path])
    expect(ran).toMatchObject({ code: 0, out: MESSAGE.toString("latin1"), err: "" })
    expect((await runCommand(api, ["api", "GET", path], { isTTY: true })).code).toBe(2)
  }
  const sent = await runCommand(api, ["api", "POST", "/emails/raw", "--data", "{}"])
  expect(JSON.parse(sent.out)).toEqual({ id: "em_1" })
  const missing = await runCommand(api, ["api", "GET", "/campaigns/cmp_1/raw"])
  expect(missing).toMatchObject({ code: 1, out: "" })
  expect(missing.err).toContain("not_found")
})

it("exits with 1 when the call is refused", async () => {
  const ran = await runCommand(api, ["api", "PATCH", "/webhooks/wh_1", "--data", "{}"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(ran.err).toBe("validation_error: Nothing to change. (request req_1)\n")
})

it.each([
  [["PUT", "/emails"], "GET, POST"],
  [["GET", "https://other.example.com/emails"], "no URL"],
  [["GET", "/stream"], "listen"],
  [["POST", "/emails", "--data", "{nope"], "JSON"],
  [["POST", "/emails", "--data", "@/nowhere"], "/nowhere"],
  [["GET", "/emails", "--query", "limit"], "name=value"],
])("calls nothing on wrong usage: %j", async (args, said) => {
  const before = api.asked.length
  const ran = await runCommand(api, ["api", ...args])
  expect(ran).toMatchObject({ code: 2, out: "" })
  expect(ran.err).toContain(said)
  expect(api.asked).toHaveLength(before)
})
