import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { eventually } from "../support/eventually.ts"
import { hasProgram } from "../support/program.ts"
import { sharedServer } from "../system/shared-server.ts"
import { CERTIFICATE, mailer, type RelayProcess, startRelay } from "./relay-process.ts"

const server = sharedServer()
let relay: RelayProcess
let client: Edgepost
let key: string
beforeAll(async () => {
  key = server.credentials.sendingOnlyKey
  client = new Edgepost({ ...server.credentials })
  relay = await startRelay(server.credentials.baseUrl)
})
afterAll(async () => {
  await relay?.kill()
})

const FROM = "Hello <hello@demo.test>"
let numbers = 0
const newAddress = () => `relay-reader-${++numbers}@example.com`

async function received(to: string) {
  const { data } = await client.sandbox.wait({ to })
  expect(data).toHaveLength(1)
  return data[0]!
}

describe.each(["starttls", "tls"] as const)("nodemailer over %s", (mode) => {
  const send: ReturnType<typeof mailer>["sendMail"] = (message: object) =>
    mailer(relay, key, mode).sendMail({ from: FROM, subject: "Hello", ...message })

  it("sends text, and 250 names the email", async () => {
    const to = newAddress()
    const { response } = await send({ to, text: "Grüße\n.\n..dots\n" })
    const message = await received(to)
    expect(response).toContain(message.emailId)
    expect(message).toMatchObject({ subject: "Hello", text: "Grüße\n.\n..dots\n" })
    expect(message.headers.from).toBe(FROM)
  })

  it("sends html with inline images, attachments, headers and reply-to", async () => {
    const to = newAddress()
    const file = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256))
    await send({
      to,
      replyTo: "Help <help@demo.test>",
      text: "Text",
      html: '<p>Über <img src="cid:logo@demo.test"></p>',
      headers: { "X-Order": "42", "List-Unsubscribe": "<https://demo.test/u>" },
      attachments: [
        { filename: "logo.png", content: Buffer.from([0x89, 0x50]), cid: "logo@demo.test" },
        { filename: "Übersicht.bin", content: file },
      ],
    })
    const message = await received(to)
    expect(message).toMatchObject({ text: "Text", html: expect.stringContaining("<p>Über <img") })
    expect(message.headers).toMatchObject({
      "reply-to": "Help <help@demo.test>",
      "x-order": "42",
      "list-unsubscribe": "<https://demo.test/u>",
    })
    expect(message.attachments).toMatchObject([
      { filename: "logo.png", contentType: "image/png", contentId: "logo@demo.test", size: 2 },
      { filename: "Übersicht.bin", size: file.length },
    ])
  })

  it("sends to, cc and bcc in one message, and shows no bcc", async () => {
    const [to, cc, bcc] = [newAddress(), newAddress(), newAddress()]
    await send({ to, cc, bcc, text: "Hi" })
    const message = await received(bcc)
    expect(message.envelope.to.toSorted()).toEqual([to, cc, bcc].toSorted())
    expect(message.headers).toMatchObject({ to, cc })
    expect(message.raw).not.toContain(bcc)
  })

  it("sends to an international domain", async () => {
    const name = `reader-${++numbers}`
    await send({ to: `Jürgen <${name}@bücher.example>`, text: "Hi" })
    expect(await received(`${name}@xn--bcher-kva.example`)).toMatchObject({ text: "Hi\n" })
  })
})

it("refuses with the API's message", async () => {
  const reply = (message: object) =>
    mailer(relay, key)
      .sendMail({ from: FROM, to: newAddress(), subject: "Hello", text: "Hi", ...message })
      .then(
        () => "250",
        (error: { response: string }) => error.response,
      )
  await client.suppressions.add({ email: "blocked@example.com" })
  expect(await reply({ to: "blocked@example.com" })).toMatch(
    /^550 .*blocked@example\.com \(manual\)/,
  )
  expect(await reply({ from: "me@unverified.example" })).toMatch(/^550 5\.7\.1 /)
  expect(await reply({ subject: "x".repeat(999) })).toMatch(
    /^501 \S+ Line \d+ has more than 998 octets/,
  )
  expect(await reply({})).toBe("250")
})

it("refuses a revoked key: the next message on an open connection, and the next login", async () => {
  const { id, secret } = await client.apiKeys.create({ name: "Relay", permission: "sending_only" })
  const pooled = mailer(relay, secret, "tls", { pool: true, maxConnections: 1 })
  const message = { from: FROM, to: newAddress(), subject: "Hello", text: "Hi" }
  await pooled.sendMail(message)
  await client.apiKeys.revoke(id)
  await expect(pooled.sendMail(message)).rejects.toMatchObject({ responseCode: 530 })
  await expect(mailer(relay, secret).sendMail(message)).rejects.toMatchObject({ responseCode: 535 })
  pooled.close()
})

describe.runIf(hasProgram("python3"))("Python's smtplib", () => {
  async function python(asked: object): Promise<{ code: number; reply?: string }> {
    const script = fileURLToPath(new URL("smtplib_client.py", import.meta.url))
    const child = spawn("python3", [script], { stdio: ["pipe", "pipe", "inherit"] })
    const settings = { certificate: CERTIFICATE, port: relay.smtp, tls: false, password: key }
    child.stdin.end(JSON.stringify({ ...settings, ...asked }))
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")])
    return JSON.parse(output)
  }

  it("sends nested parts over STARTTLS, twice, and it arrives once", async () => {
    const to = newAddress()
    const message = { to: [to], subject: "Grüße aus Python 🐍", messageId: `<${to}>`, times: 2 }
    expect(await python(message)).toEqual({ code: 250 })
    expect(await received(to)).toMatchObject({
      subject: message.subject,
      text: expect.stringContaining("Text: Grüße\n"),
      html: expect.stringContaining('<p>Grüße <img src="cid:dot@demo.test"></p>'),
      attachments: [
        { filename: null, contentType: "image/png", contentId: "dot@demo.test" },
        { filename: "Rechnung März.pdf", contentType: "application/pdf", size: 7 },
      ],
    })
  })

  it("sends 8BITMIME over TLS to recipients that no header names", async () => {
    const to = [newAddress(), newAddress()]
    const headers = "From: hello@demo.test\r\nSubject: Für alle\r\nMIME-Version: 1.0\r\n"
    const raw = `${headers}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nÄÖÜ\r\n`
    expect(await python({ to, raw, tls: true, port: relay.smtps })).toEqual({ code: 250 })
    for (const address of to) {
      const message = await received(address)
      expect(message).toMatchObject({ subject: "Für alle", text: "ÄÖÜ\n" })
      expect(message.envelope.to).toEqual(to)
      expect(message.headers.to).toBeUndefined()
    }
  })

  it("gets 535 for an invalid key", async () => {
    expect(await python({ to: ["a@example.com"], raw: "", password: "wrong" })).toMatchObject({
      code: 535,
    })
  })
})

describe.runIf(hasProgram("swaks"))("swaks", () => {
  async function swaks(...args: string[]): Promise<string> {
    const login = ["--auth-user", "anybody", "--auth-password", key]
    const child = spawn("swaks", ["--from", "hello@demo.test", ...login, ...args])
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")])
    return output
  }

  it.each([
    ["PLAIN", "STARTTLS", () => ["--server", `localhost:${relay.smtp}`, "-tls"]],
    ["LOGIN", "TLS", () => ["--server", `localhost:${relay.smtps}`, "-tlsc"]],
  ])("logs in with %s over %s, pipelines and attaches", async (method, _mode, where) => {
    const to = newAddress()
    const file = fileURLToPath(import.meta.url)
    const attach = [
      "--attach-type",
      "text/x-script",
      "--attach-name",
      "a.ts",
      "--attach",
      `@${file}`,
    ]
    const output = await swaks(...where(), "--auth", method, "--pipeline", "--to", to, ...attach)
    expect(output).toMatch(/250 2\.6\.0 Queued as em_/)
    expect((await received(to)).attachments).toMatchObject([
      { filename: "a.ts", size: readFileSync(file).length },
    ])
  })

  it("is offered no login before TLS", async () => {
    const output = await swaks(
      "--server",
      `localhost:${relay.smtp}`,
      "--auth",
      "--to",
      newAddress(),
    )
    expect(output).toContain("STARTTLS")
    expect(output).not.toContain("AUTH")
  })
})

it("40 connections send 200 messages through the real API, each once", async () => {
  const pool = mailer(relay, key, "tls", { pool: true, maxConnections: 40 })
  const addresses = Array.from({ length: 200 }, newAddress)
  const message = { from: FROM, subject: "Many", text: "Hi" }
  await Promise.all(addresses.map((to) => pool.sendMail({ ...message, to })))
  pool.close()
  await eventually(async () => {
    const found: string[] = []
    for await (const { subject, to } of client.emails.iterate({ limit: 100 })) {
      if (subject === "Many") found.push(...to)
    }
    expect(found.toSorted()).toEqual(addresses.toSorted())
  })
})
