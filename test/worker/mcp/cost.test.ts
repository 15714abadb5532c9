import { beforeAll, describe, it } from "vitest"
import { request } from "../../support/api.ts"
import { expectCheap } from "../../support/cost.ts"
import { makeTeam, type Team } from "../../support/team.ts"

const MAX_BYTES = 1024 * 1024 - 300
const filled = (part: string) => part.repeat(Math.floor(MAX_BYTES / part.length))
const names = Array.from({ length: 90_000 }, (_, index) => `"${index}":1`).join()

const VALUES: [string, string][] = [
  ["text", JSON.stringify(filled("x"))],
  ["lists", `[${"[],".repeat(290_000)}[]]`],
  ["numbers", `[${"1,".repeat(290_000)}1]`],
  ["different names", `{${names}}`],
  ["lists in lists", "[".repeat(290_000) + "]".repeat(290_000)],
  ["objects in objects", `${'{"a":'.repeat(90_000)}1${"}".repeat(90_000)}`],
  ["addresses", JSON.stringify(Array(40_000).fill("A     b <a@b.co>"))],
]

const message = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

describe.each(VALUES)("a message of an agent costs little with %s as", (_what, value) => {
  let team: Team
  beforeAll(async () => {
    team = await makeTeam()
  })
  const headers = () => ({
    authorization: `Bearer ${team.api.key}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  })

  it.each([
    ["the message", value],
    ["its id", `{"jsonrpc":"2.0","id":${value},"method":"tools/list","params":{}}`],
    ["its parameters", message("tools/call", value)],
    ["what stands beside them", message("tools/list", `{"_meta":${value}}`)],
    ["the arguments", message("tools/call", `{"name":"send_email","arguments":${value}}`)],
    ["recipients", message("tools/call", `{"name":"send_email","arguments":{"to":${value}}}`)],
    ["headers", message("tools/call", `{"name":"check_email","arguments":{"headers":${value}}}`)],
  ])("%s", async (_where, body) => {
    await expectCheap(() => request("POST", "/mcp", body, headers()))
  })
})
