import { X509Certificate } from "node:crypto"
import { expect, it } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { makeCertificate } from "../../src/relay/certificate.ts"
import { clientOf } from "../../src/relay/clients.ts"
import { readMessage } from "../../src/relay/message.ts"
import { send } from "../../src/relay/send.ts"
import { createSlots } from "../../src/relay/slots.ts"
import { SEND_MAX_BYTES } from "../../src/worker/emails/send-input.ts"

function read(headers: string, body: string | Buffer = "Hi\r\n") {
  const start = `From: me@demo.test\r\nSubject: Hello\r\n${headers}\r\n\r\n`
  const bytes = Buffer.concat([Buffer.from(start), Buffer.from(body)])
  return readMessage(new Uint8Array(bytes).buffer)
}

const part = (headers: string, body: string) => `${headers}\r\n\r\n${body}\r\n`
const multipart = (boundary: string, ...parts: string[]) =>
  `${parts.map((one) => `--${boundary}\r\n${one}`).join("")}--${boundary}--\r\n`
const BASE64 = "Content-Transfer-Encoding: base64"
const typed = (kind: string, boundary: string) =>
  `Content-Type: multipart/${kind}; boundary="${boundary}"`

it("passes custom headers on, without those that the service sets and those of parts", async () => {
  const { content } = await read(
    [
      "Received: from a by b",
      "DKIM-Signature: v=1",
      "Date: Sun, 22 Nov 2026 04:14:58 +0000",
      "Message-ID: <1@x.test>",
      "MIME-Version: 1.0",
      "Bcc: hidden@x.test",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Language: de",
      "List-Unsubscribe: <https://x.test/u>,",
      "\t<mailto:u@x.test>",
      "In-Reply-To: <0@x.test>",
      "X-Twice: one",
      "X-Twice: two",
      `X-Long: ${"x".repeat(901)}`,
      "X_Odd: no",
      "X-Word: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
      "Reply-To: Help <help@demo.test>, nobody",
    ].join("\r\n"),
  )
  expect(content.headers).toEqual({
    "List-Unsubscribe": "<https://x.test/u>, <mailto:u@x.test>",
    "In-Reply-To": "<0@x.test>",
    "X-Twice": "one",
    "X-Word": "=?utf-8?q?Gr=C3=BC=C3=9Fe?=",
  })
  expect(content.replyTo).toEqual(["Help <help@demo.test>"])
})

it("leaves out the last X- headers of more than the API takes", async () => {
  const many = Array.from({ length: 120 }, (_, index) => `X-${index}: v`)
  const { content } = await read([...many, "In-Reply-To: <0@x.test>"].join("\r\n"))
  expect(Object.keys(content.headers ?? {})).toHaveLength(100)
  expect(content.headers).toMatchObject({ "In-Reply-To": "<0@x.test>", "X-98": "v" })
})

it("measures a call in bytes, of which a letter may have three", async () => {
  const text = "漢".repeat(2_000_000)
  const parsed = await read("Content-Type: text/plain; charset=utf-8", text)
  const sizes: number[] = []
  const client = new Edgepost({
    apiKey: "key",
    baseUrl: "http://api.test",
    fetch: async (_, init) => {
      const body = String(init?.body)
      sizes.push(Buffer.byteLength(body))
      return Response.json({ data: JSON.parse(body).map(() => ({ id: "em_1" })) })
    },
  })
  const to = Array.from({ length: 6 }, (_, index) => `to-${index}@x.test`)
  expect(await send(client, parsed, { from: "", to })).toHaveLength(6)
  expect(Math.max(...sizes)).toBeLessThan(SEND_MAX_BYTES)
})

it.each([
  ["<CAF.7+x=Y@demo.test>", "<CAF.7+x=Y@demo.test>"],
  ["<1@mail.DEMO.test>", "<1@mail.DEMO.test>"],
  ["<1@other.test>", undefined],
  ["<1@notdemo.test>", undefined],
  ["<1@localhost>", undefined],
  ['<"a b"@demo.test>', undefined],
  ["1@demo.test", undefined],
])("keeps a Message-ID on the sender's domain: %s is %s", async (given, kept) => {
  const { content, messageId } = await read(`Message-ID: ${given}`)
  expect(content.messageId).toBe(kept)
  expect(messageId).not.toBeNull()
})

it("decodes names, subjects and bodies of any charset", async () => {
  const raw = Buffer.from(
    "From: =?iso-8859-1?Q?J=F6rg_=22J=22=2C?= <JOERG@Demo.test>\r\n" +
      "To: =?koi8-r?B?8MXU0g==?= <petr@x.test>\r\nSubject: =?utf-8?B?R3LDvA==?=\r\n" +
      " =?utf-8?B?w59l?=\r\nContent-Type: text/plain; charset=windows-1252\r\n" +
      "Content-Transfer-Encoding: 8bit\r\n\r\nGr\u00fc\u00dfe \u0080\r\n",
    "latin1",
  )
  const { content, visible } = await readMessage(new Uint8Array(raw).buffer)
  expect(content).toMatchObject({
    from: '"Jörg \\"J\\"," <joerg@demo.test>',
    subject: "Grüße",
    text: "Grüße €\n",
  })
  expect(visible.to).toEqual([{ address: "petr@x.test", name: "Петр" }])
})

it("reads headers in UTF-8", async () => {
  const { content, visible } = await read("To: Jürgen <j@müller.test>\r\nX-Greeting: Grüße")
  expect(visible.to).toEqual([{ address: "j@xn--mller-kva.test", name: "Jürgen" }])
  expect(content.headers).toEqual({ "X-Greeting": "Grüße" })
})

it("keeps text, html, inline images and attachments of nested parts", async () => {
  const html = '<img src="cid:logo@x"><img src="cid:odd%24id@x">'
  const body = multipart(
    "m",
    part(
      typed("related", "r"),
      multipart(
        "r",
        part(
          typed("alternative", "a"),
          multipart(
            "a",
            part("Content-Type: text/plain", "Hi"),
            part("Content-Type: text/html", html),
          ),
        ),
        part(
          `Content-Type: image/png; name=logo.png\r\nContent-ID: <logo@x>\r\n${BASE64}`,
          btoa("PNG1"),
        ),
        part("Content-Type: image/png\r\nContent-ID: <odd$id@x>", "PNG2"),
      ),
    ),
    part(
      "Content-Type: application/pdf\r\nContent-ID: <unshown@x>\r\n" +
        `Content-Disposition: attachment; filename*=utf-8''%C3%9Cber.pdf\r\n${BASE64}`,
      btoa("PDF"),
    ),
    part("Content-Type: message/rfc822", "Subject: Forwarded\r\n\r\nOld"),
    part("Content-Type: text/calendar; method=REQUEST; charset=utf-8", "BEGIN:VCALENDAR"),
  )
  const { content } = await read(typed("mixed", "m"), body)
  expect(content.text).toBe("Hi\n")
  expect(content.html).toBe('<img src="cid:logo@x"><img src="cid:part-2">\n')
  expect(content.attachments).toMatchObject([
    { filename: "logo.png", contentType: "image/png", contentId: "logo@x", content: btoa("PNG1") },
    { filename: "attachment-2.png", contentType: "image/png", contentId: "part-2" },
    { filename: "Über.pdf", contentType: "application/pdf", content: btoa("PDF") },
    { filename: "attachment-4.eml", contentType: "message/rfc822" },
    { filename: "attachment-5.ics", contentType: "text/calendar; charset=utf-8; method=REQUEST" },
  ])
  expect(content.attachments?.[2]).not.toHaveProperty("contentId")
})

it("names an attachment of an unknown type", async () => {
  const type = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment"
  const { content } = await read(type, "x")
  expect(content.attachments).toMatchObject([{ filename: "attachment-1.bin" }])
})

it("keeps each byte of a binary attachment", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const encoded = bytes.toString("base64").replace(/.{76}/g, "$&\r\n")
  const { content } = await read(
    `Content-Type: application/octet-stream; name="b.bin"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64`,
    `${encoded}\r\n`,
  )
  expect(content.attachments?.[0]).toMatchObject({ filename: "b.bin" })
  expect(Buffer.from(content.attachments?.[0]?.content ?? "", "base64")).toEqual(bytes)
  expect(content.text).toBe("\n")
})

it("takes a message without subject and body, refuses one without sender", async () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text)).buffer
  const { content } = await readMessage(bytes("From: me@demo.test\r\n\r\n"))
  expect(content).toMatchObject({ subject: "(no subject)", text: "\n" })
  await expect(readMessage(bytes("Subject: Hi\r\n\r\nHi"))).rejects.toMatchObject({
    responseCode: 501,
  })
})

it("makes a certificate for its name and this machine", () => {
  const { cert } = makeCertificate("relay.example.com")
  const certificate = new X509Certificate(cert)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.checkHost("relay.example.com")).toBe("relay.example.com")
  expect(certificate.checkHost("localhost")).toBe("localhost")
  expect(certificate.checkIP("::1")).toBe("::1")
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 300 * 86_400_000)
})

it("counts an IPv6 network as one client", () => {
  expect(clientOf("::ffff:192.0.2.1")).toBe("192.0.2.1")
  expect(clientOf("2001:db8::1")).toBe(clientOf("2001:db8:0:0:ffff::2"))
  expect(clientOf("2001:db8:0:1::1")).not.toBe(clientOf("2001:db8::1"))
})

it("gives one team at most half of the slots, and the rest to others", async () => {
  const slots = createSlots(4)
  const first = await slots.take("a", 1_000)
  await slots.take("a", 1_000)
  const third = slots.take("a", 1_000)
  for (let taken = 0; taken < 2; taken++) {
    expect(await slots.take("b", 10)).toBeTypeOf("function")
  }
  expect(await slots.take("a", 10)).toBeNull()
  first?.()
  expect(await third).toBeTypeOf("function")
})
