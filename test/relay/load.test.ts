import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { API_KEY, type FakeApi, startFakeApi } from "./fake-api.ts"
import { type RelayProcess, startRelay } from "./relay-process.ts"
import { openClient, type SmtpClient } from "./smtp-client.ts"

const CONNECTIONS = 200
const MESSAGES = 2_000
const LARGE = 30
const MIB = 1024 * 1024

let api: FakeApi
let relay: RelayProcess
beforeAll(async () => {
  api = await startFakeApi()
  api.forgetful = true
  relay = await startRelay(api.url)
})
afterAll(async () => {
  await relay?.kill()
  api?.close()
})

async function connect(): Promise<SmtpClient> {
  const client = await openClient(relay.smtps, "tls")
  expect(await client.logIn(API_KEY)).toMatch(/^235 /)
  return client
}

const headers = (number: number) =>
  `From: me@demo.test\r\nTo: r${number}@x.test\r\nSubject: ${number}\r\nMessage-ID: <${number}@client.test>\r\n`
const message = (number: number, file?: string) =>
  file
    ? `${headers(number)}Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}.`
    : `${headers(number)}\r\nHi\r\n.`

async function deliver(client: SmtpClient, number: number, file?: string): Promise<string> {
  await client.say("MAIL FROM:<me@demo.test>")
  await client.say(`RCPT TO:<r${number}@x.test>`)
  await client.say("DATA")
  return client.say(message(number, file))
}

/** Delivers, and repeats what got no answer because the connection was cut. */
async function work(numbers: Iterator<number>): Promise<void> {
  let client = await connect()
  for (let next = numbers.next(); !next.done; next = numbers.next()) {
    if (next.value % 10 === 0) {
      await client.say("MAIL FROM:<me@demo.test>")
      await client.say(`RCPT TO:<r${next.value}@x.test>`)
      await client.say("DATA")
      await client.write(`${message(next.value)}\r\n`)
      await sleep(Math.random() * 20)
      client.cut()
      client = await connect()
    }
    expect(await deliver(client, next.value)).toMatch(/^250 /)
  }
  client.cut()
}

async function sendAll(first: number): Promise<number> {
  const numbers = Array.from({ length: MESSAGES }, (_, index) => first + index)
  const start = performance.now()
  const shared = numbers[Symbol.iterator]()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => work(shared)))
  return (performance.now() - start) / 1000
}

it("200 connections send 2,000 messages with cuts and repeats, each once", async () => {
  const seconds = await sendAll(0)
  // Its heap grows over the first thousands.
  await sendAll(MESSAGES)
  const memory = [relay.memory()]
  let grownMiB = Number.POSITIVE_INFINITY
  let sent = 2
  // Memory that is not collected yet counts, too, but a leak grows in each round.
  while (grownMiB >= 64 && sent < 5) {
    await sendAll(sent++ * MESSAGES)
    memory.push(relay.memory())
    grownMiB = ((memory.at(-1) ?? 0) - (memory.at(-2) ?? 0)) >> 10
  }
  const inMiB = memory.map((kib) => kib >> 10)
  console.log(`${MESSAGES} messages in ${seconds.toFixed(1)} s; MiB after each round: ${inMiB}`)
  const recipients = api.emails.map(({ to }) => String(to))
  expect(new Set(recipients).size).toBe(sent * MESSAGES)
  expect(recipients).toHaveLength(sent * MESSAGES)
  expect(grownMiB).toBeLessThan(64)
})

it("only a few large messages are in memory at a time", async () => {
  await relay.kill()
  relay = await startRelay(api.url)
  const line = `${"x".repeat(76)}\r\n`
  const file = line.repeat((8 * MIB) / line.length)
  const clients = await Promise.all(Array.from({ length: LARGE }, connect))
  let highest = 0
  const watch = setInterval(() => {
    highest = Math.max(highest, relay.memory())
  }, 50)
  const replies = await Promise.all(
    clients.map((client, index) => deliver(client, 10_000 + index, file)),
  )
  clearInterval(watch)
  console.log(`${LARGE} messages of 8 MiB at once: ${highest >> 10} MiB at most`)
  for (const client of clients) client.cut()
  expect(replies.filter((reply) => reply.startsWith("250"))).toHaveLength(LARGE)
  // All at once would be 240 MiB as bytes alone, and five times that with base64 and JSON.
  expect(highest >> 10).toBeLessThan(600)
})
