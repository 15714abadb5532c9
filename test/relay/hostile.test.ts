import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { API_KEY, type FakeApi, startFakeApi } from "./fake-api.ts"
import { type RelayProcess, startRelay } from "./relay-process.ts"
import { openClient } from "./smtp-client.ts"

let api: FakeApi
let relay: RelayProcess
beforeAll(async () => {
  api = await startFakeApi()
  relay = await startRelay(api.url)
})
afterAll(async () => {
  await relay?.kill()
  api?.close()
})

async function deliver(message: string): Promise<string> {
  const client = await openClient(relay.smtps, "tls")
  await client.logIn(API_KEY)
  await client.say("MAIL FROM:<me@demo.test>")
  await client.say("RCPT TO:<r@x.test>")
  await client.say("DATA")
  const reply = await client.say(`${message}\r\n.`)
  client.cut()
  return reply
}

/** The longest time that a new client waited for its greeting until `work` was done. */
async function longestGreeting(work: Promise<unknown>): Promise<number> {
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const startedAt = performance.now()
    const client = await openClient(relay.smtp)
    longest = Math.max(longest, performance.now() - startedAt)
    client.cut()
    await sleep(50)
  }
  return longest
}

const HEAD = "From: me@demo.test\r\nTo: r@x.test\r\nSubject: Hi\r\n"

const HOSTILE = {
  "5 MB of empty parts": `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(700_000)}--b--`,
  "parts inside parts": `${HEAD}${Array.from(
    { length: 600 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
  ).join("")}`,
  "100,000 headers": `${HEAD}${"X-A: b\r\n".repeat(100_000)}\r\nHi`,
}

describe("a hostile message", () => {
  it.each(Object.entries(HOSTILE))("of %s is refused", async (_, message) => {
    expect(await deliver(message)).toMatch(/^552 5\.3\.4 /)
  })

  it("of flowed text delays no other client's greeting", async () => {
    const flowed = `${HEAD}Content-Type: text/plain; format=flowed\r\n\r\n${"> a \r\n".repeat(400_000)}`
    const idle = await longestGreeting(sleep(500))
    const most = Math.max(200, 5 * idle)
    let longest = Number.POSITIVE_INFINITY
    // Something else may keep the machine busy: the best of three counts.
    for (let tries = 0; longest >= most && tries < 3; tries++) {
      const reply = deliver(flowed)
      longest = Math.min(longest, await longestGreeting(reply))
      expect(await reply).toMatch(/^(250|552) /)
    }
    expect(longest).toBeLessThan(most)
  })

  it("leaves the relay able to take an ordinary message", async () => {
    expect(await deliver(`${HEAD}\r\nHi`)).toMatch(/^250 /)
  })
})
