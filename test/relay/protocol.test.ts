import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { API_KEY, type FakeApi, startFakeApi } from "./fake-api.ts"
import { mailer, type RelayProcess, startRelay } from "./relay-process.ts"
import { openClient, type SmtpClient } from "./smtp-client.ts"

let api: FakeApi
let relay: RelayProcess
beforeAll(async () => {
  api = await startFakeApi()
  relay = await startRelay(api.url)
})
beforeEach(() => {
  api.emails.length = 0
  api.refusals = []
  api.suppressed = []
  api.revoked = false
  api.delayMs = 0
})
afterAll(async () => {
  await relay?.kill()
  api?.close()
})

let client: SmtpClient
afterEach(() => client?.cut())

async function loggedIn(): Promise<void> {
  client = await openClient(relay.smtps, "tls")
  expect(await client.logIn(API_KEY)).toMatch(/^235 2\.7\.0 /)
}

const message = (id: string, subject = "Hello", to = "ada@example.com") =>
  `From: Me <me@demo.test>\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${id}@client.test>\r\n\r\nHi\r\n`

async function deliver(data: string, to = ["ada@example.com"]): Promise<string> {
  await client.say("MAIL FROM:<me@demo.test>")
  for (const address of to) await client.say(`RCPT TO:<${address}>`)
  await client.say("DATA")
  return client.say(`${data}.`)
}

describe("logging in", () => {
  it("is offered and accepted after TLS only", async () => {
    client = await openClient(relay.smtp)
    expect(await client.say("EHLO client.test")).not.toMatch(/AUTH/)
    expect(await client.say("AUTH LOGIN")).toMatch(/^530 5\.7\.0 /)
    expect(await client.say("MAIL FROM:<me@demo.test>")).toMatch(/^530 5\.7\.0 /)
    await client.startTls()
    expect(await client.say("EHLO client.test")).toMatch(/^250-AUTH LOGIN PLAIN\r$/m)
    expect(await client.say("MAIL FROM:<me@demo.test>")).toMatch(/^530 5\.7\.0 /)
    expect(await client.logIn(API_KEY)).toMatch(/^235 /)
  })

  it("fails with 535 for an invalid key, each time after a longer delay", async () => {
    client = await openClient(relay.smtps, "tls")
    expect(await client.logIn("wrong")).toMatch(/^535 5\.7\.8 /)
    const start = Date.now()
    expect(await client.logIn("ключ")).toMatch(/^535 5\.7\.8 /)
    expect(Date.now() - start).toBeGreaterThan(490)
    expect(await client.logIn(API_KEY)).toMatch(/^235 /)
  })

  it("takes AUTH LOGIN", async () => {
    client = await openClient(relay.smtps, "tls")
    await client.say("EHLO client.test")
    expect(await client.say("AUTH LOGIN")).toMatch(/^334 /)
    expect(await client.say(btoa("anybody"))).toMatch(/^334 /)
    expect(await client.say(btoa(API_KEY))).toMatch(/^235 /)
  })

  it("ends when the key is revoked: 530 for the next message, 535 for the next login", async () => {
    await loggedIn()
    api.revoked = true
    expect(await deliver(message("revoked"))).toMatch(/^530 5\.7\.0 /)
    expect(await client.say("MAIL FROM:<me@demo.test>")).toMatch(/^530 5\.7\.0 /)
    expect(await client.logIn(API_KEY)).toMatch(/^535 5\.7\.8 /)
    expect(api.emails).toEqual([])
  })
})

describe("recipients", () => {
  beforeEach(loggedIn)

  it("are those of the envelope, whatever the header says", async () => {
    const headers = "To: A <a@x.test>, b@x.test\r\nBcc: e@x.test\r\n"
    const data = `From: me@demo.test\r\n${headers}Subject: Hi\r\n\r\nHi\r\n`
    expect(await deliver(data, ["A@X.test", "f@x.test"])).toMatch(/^250 2\.6\.0 .*em_/)
    expect(api.emails).toEqual([{ to: ["a@x.test", "f@x.test"], message: data }])
  })

  it("are one email, also where no header names them", async () => {
    const to = Array.from({ length: 50 }, (_, index) => `r${index}@x.test`)
    const reply = await deliver(message("undisclosed", "Hi", "undisclosed-recipients:;"), to)
    expect(reply).toMatch(/^250 2\.6\.0 Queued as em_\w+\r\n$/)
    expect(api.emails).toMatchObject([{ to }])
  })

  it("beyond ASCII are refused before the @, so SMTPUTF8 is not offered", async () => {
    const features = await client.say("EHLO client.test")
    expect(features).toMatch(/^250-8BITMIME\r$/m)
    expect(features).not.toMatch(/SMTPUTF8/)
  })

  it("are valid addresses, at most 50", async () => {
    await client.say("MAIL FROM:<me@demo.test>")
    for (let count = 0; count < 50; count++) await client.say(`RCPT TO:<r${count}@x.test>`)
    expect(await client.say("RCPT TO:<r50@x.test>")).toMatch(/^452 4\.5\.3 /)
    await client.say("RSET")
    await client.say("MAIL FROM:<me@demo.test> SMTPUTF8")
    expect(await client.say("RCPT TO:<пётр@x.test>")).toMatch(/^501 5\.1\.3 /)
    expect(await client.say("RCPT TO:<pjotr@почта.test>")).toMatch(/^250 /)
  })
})

it("a message is handed on byte for byte", async () => {
  await loggedIn()
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1")
  const body = `${bytes.replace(/[\r\n]/g, "")}\r\n.\r\n..\r\nx \r\n`
  const data = `From: me@demo.test\r\nX_Odd: a\r\nX_Odd: b\r\n\r\n${body}`
  await client.say("MAIL FROM:<me@demo.test>")
  await client.say("RCPT TO:<ada@example.com>")
  await client.say("DATA")
  const stuffed = Buffer.from(`${data.replace(/^\./gm, "..")}.`, "latin1")
  expect(await client.say(stuffed)).toMatch(/^250 /)
  expect(api.emails).toEqual([{ to: ["ada@example.com"], message: data }])
})

describe("a suppressed recipient", () => {
  beforeEach(loggedIn)

  it("is refused alone, and the others get the message", async () => {
    api.suppressed = ["gone@x.test"]
    expect(await client.say("MAIL FROM:<me@demo.test>")).toMatch(/^250 /)
    expect(await client.say("RCPT TO:<ann@x.test>")).toMatch(/^250 /)
    expect(await client.say("RCPT TO:<gone@x.test>")).toMatch(
      /^550 5\.7\.1 .*gone@x\.test \(bounce\)/,
    )
    expect(await client.say("DATA")).toMatch(/^354 /)
    expect(await client.say("From: me@demo.test\r\nSubject: Hi\r\n\r\nHi\r\n.")).toMatch(/^250 /)
    expect(api.emails).toMatchObject([{ to: ["ann@x.test"] }])
  })

  it.each(["<>", "<root@localhost>", "<www-data@web01>"])(
    "is refused alone also where the envelope's sender is %s",
    async (sender) => {
      api.suppressed = ["gone@x.test"]
      expect(await client.say(`MAIL FROM:${sender}`)).toMatch(/^250 /)
      expect(await client.say("RCPT TO:<ann@x.test>")).toMatch(/^250 /)
      expect(await client.say("RCPT TO:<gone@x.test>")).toMatch(/^550 5\.7\.1 /)
    },
  )
})

it("a bare CR in a sender's or recipient's line is refused", async () => {
  await loggedIn()
  for (const line of ["MAIL FROM:\r<me@demo.test>", "MAIL FROM:<me@demo.test>\rRSET"]) {
    expect(await client.say(line)).toMatch(/^501 /)
  }
  await client.say("MAIL FROM:<me@demo.test>")
  expect(await client.say("RCPT TO:<ada@example.com>\rDATA")).toMatch(/^501 /)
  expect(await client.say("RCPT TO:<ada@example.com>")).toMatch(/^250 /)
})

describe("a repeated message", () => {
  beforeEach(loggedIn)

  it("is sent once for its Message-ID, and 250 names the same email", async () => {
    const first = await deliver(message("again"))
    expect(await deliver(message("again"))).toBe(first)
    expect(api.emails).toHaveLength(1)
  })

  it("is sent again to another envelope", async () => {
    await deliver(message("envelopes"))
    await deliver(message("envelopes"), ["bob@example.com"])
    expect(api.emails.map(({ to }) => to)).toEqual([["ada@example.com"], ["bob@example.com"]])
  })

  it("is refused if another message was sent with the Message-ID", async () => {
    await deliver(message("other"))
    expect(await deliver(message("other", "Another"))).toMatch(/^550 5\.6\.0 .*Message-ID/)
  })

  it("without Message-ID is a repeat if it has a date, and new if it has none", async () => {
    const bare = "From: me@demo.test\r\nTo: ada@example.com\r\nSubject: Alert\r\n"
    const dated = `Date: Sun, 22 Nov 2026 04:14:58 +0000\r\n${bare}`
    await deliver(`${dated}\r\nHi\r\n`)
    await deliver(`${dated}\r\nHi\r\n`)
    expect(api.emails).toHaveLength(1)
    await deliver(`${dated.replace(":58", ":59")}\r\nHi\r\n`)
    await deliver(`${bare}\r\nHi\r\n`)
    await deliver(`${bare}\r\nHi\r\n`)
    expect(api.emails).toHaveLength(4)
  })
})

describe("the API's refusals", () => {
  beforeEach(loggedIn)

  it.each([
    [422, "suppressed_recipient", /^550 5\.7\.1 /],
    [422, "domain_not_verified", /^550 5\.7\.1 /],
    [403, "forbidden", /^550 5\.7\.1 /],
    [413, "payload_too_large", /^552 5\.3\.4 /],
    [400, "validation_error", /^501 5\.6\.0 /],
    [429, "rate_limited", /^452 4\.3\.2 /],
  ])("%i %s", async (status, code, reply) => {
    api.refusals = [{ status, code, headers: { "retry-after": "60" } }]
    expect(await deliver(message(code))).toMatch(reply)
    expect(await deliver(message(code))).toMatch(/^250 /)
  })

  it("name the addresses or fields", async () => {
    const details = [{ email: "a@x.test", reason: "bounce" }]
    api.refusals = [{ status: 422, code: "suppressed_recipient", details }]
    expect(await deliver(message("told"))).toContain("a@x.test (bounce)")
    const places = [{ path: [], message: "Line 3 is no header field" }]
    api.refusals = [{ status: 400, code: "validation_error", details: places }]
    expect(await deliver(message("place"))).toMatch(/^501 5\.6\.0 Line 3 is no header field\r/)
  })

  it("that are temporary are tried again, then answered 451", async () => {
    api.refusals = [{ status: 500 }]
    expect(await deliver(message("passing"))).toMatch(/^250 /)
    api.refusals = Array(3).fill({ status: 503, code: "not_configured" })
    expect(await deliver(message("lasting"))).toMatch(/^451 4\.3\.0 /)
  })
})

describe("size", () => {
  beforeEach(loggedIn)

  it("is announced, and MAIL with a larger size is answered 552", async () => {
    expect(await client.say("EHLO client.test")).toMatch(/^250 SIZE 26214400\r$/m)
    const reply = await client.say("MAIL FROM:<me@demo.test> SIZE=26214401")
    expect(reply).toMatch(/^552 5\.3\.4 /)
  })

  it("is checked while the message arrives: 552, and the connection goes on", async () => {
    const line = `${"x".repeat(998)}\r\n`
    expect(await deliver(message("large") + line.repeat(26_300))).toMatch(/^552 5\.3\.4 /)
    expect(await deliver(message("small"))).toMatch(/^250 /)
  })
})

it("a pipelining client gets each reply in order", async () => {
  await loggedIn()
  await client.write(
    "MAIL FROM:<me@demo.test>\r\nRCPT TO:<a@x.test>\r\nRCPT TO:<bad>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n",
  )
  const codes: string[] = []
  while (codes.length < 5) codes.push((await client.hear()).slice(0, 3))
  expect(codes).toEqual(["250", "250", "501", "250", "354"])
  await client.write(`${message("piped", "Hi", "a@x.test")}.\r\nQUIT\r\n`)
  expect(await client.hear()).toMatch(/^250 /)
  expect(await client.hear()).toMatch(/^221 /)
  expect(api.emails).toMatchObject([{ to: ["a@x.test", "b@x.test"] }])
})

it("the log has no content, address or password", async () => {
  await mailer(relay, API_KEY, "tls", { user: "somebody" }).sendMail({
    from: "secret-sender@demo.test",
    to: "secret-recipient@example.com",
    subject: "Secret subject",
    text: "Secret body",
  })
  await eventually(() => expect(relay.log.at(-1)).toMatchObject({ event: "message_sent" }))
  const text = JSON.stringify(relay.log)
  expect(text).not.toMatch(/secret|somebody|svc_live|127\.0\.0\.1/i)
})

it("health says whether the API answers", async () => {
  const ask = async (port: number) => (await fetch(`http://127.0.0.1:${port}/health`)).json()
  expect(await ask(relay.health)).toMatchObject({ stopping: false, api: true })
  const lost = await startRelay("http://127.0.0.1:9")
  expect(await ask(lost.health)).toMatchObject({ stopping: false, api: false })
  await lost.kill()
})

it("connections are limited by address, in any state, and make room when they end", async () => {
  const small = await startRelay(api.url, { RELAY_MAX_CONNECTIONS_PER_ADDRESS: "2" })
  for (let count = 0; count < 3; count++) {
    const open = [await openClient(small.smtp), await openClient(small.smtps, "tls")]
    await open[0]?.startTls()
    await expect(openClient(small.smtp)).rejects.toThrow("421")
    await expect(openClient(small.smtps, "tls")).rejects.toThrow("closed")
    for (const one of open) one.cut()
    await eventually(async () => {
      const health = await fetch(`http://127.0.0.1:${small.health}/health`)
      expect(await health.json()).toMatchObject({ connections: 0 })
    })
  }
  await small.kill()
})

it("a stop finishes the message in work and refuses new ones", async () => {
  const own = await startRelay(api.url)
  client = await openClient(own.smtps, "tls")
  await client.logIn(API_KEY)
  const idle = await openClient(own.smtp)
  api.delayMs = 5_000
  const { sends } = api
  const reply = deliver(message("in-hand"))
  await eventually(() => expect(api.sends).toBe(sends + 1))
  own.signal("SIGTERM")
  expect(await idle.hear()).toMatch(/^421 4\.3\.2 /)
  await expect(openClient(own.smtp)).rejects.toThrow("421")
  await expect(openClient(own.smtps, "tls")).rejects.toThrow("421")
  expect(await reply).toMatch(/^250 /)
  expect(await client.hear()).toMatch(/^421 /)
  expect(await own.exited).toBe(0)
})

it("SIGHUP reads the certificate again", async () => {
  relay.signal("SIGHUP")
  await eventually(() => expect(relay.log.at(-1)).toMatchObject({ event: "certificate_read" }))
  await loggedIn()
})
