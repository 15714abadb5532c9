import { describe, expect, it } from "vitest"
import { BASE_URL } from "../../../support/api.ts"
import { callWorker, metered } from "../../../support/meter.ts"
import { makeTeam, type Team } from "../../../support/team.ts"

const TO = "reader@example.net"

const bytesOf = (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"), "latin1")

const sendRaw = (team: Team, message: string | Buffer, query = `to=${TO}`, headers = {}) =>
  team.api.post(
    `/emails/raw?${query}`,
    typeof message === "string" ? bytesOf(message) : message,
    headers,
  )

/** Sends a message, and waits until it was handed over. */
async function handedOver(team: Team, message: string | Buffer, query?: string) {
  const { status, body } = await sendRaw(team, message, query)
  expect(status, JSON.stringify(body)).toBe(201)
  const { body: inbox } = await team.api.get(`/sandbox/messages?emailId=${body.id}&wait=30`)
  return { id: body.id as string, shown: inbox.data[0], raw: await readRaw(team, body.id) }
}

async function readRaw({ api }: Team, id: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${api.key}` }
  const response = await callWorker(new Request(`${BASE_URL}/api/v1/emails/${id}/raw`, { headers }))
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("message/rfc822")
  return Buffer.from(await response.arrayBuffer())
}

const headOf = (raw: Buffer) => raw.toString("latin1").split("\r\n\r\n")[0] as string
const bodyOf = (raw: Buffer) => raw.subarray(raw.indexOf("\r\n\r\n") + 4)

const head = (team: Team, fields = "") =>
  `From: App <app@${team.domain}>\nTo: ${TO}\nSubject: Hi\n${fields}`

describe("the bytes of a body", () => {
  const multipart = (type: string, ...parts: string[]) =>
    `Content-Type: ${type}; boundary="b"\n\n${parts.map((part) => `--b\n${part}\n`).join("")}--b--\n`
  it.each([
    [
      "a text file without a last line end",
      multipart(
        "multipart/mixed",
        "Content-Type: text/plain\n\nSee the file.",
        "Content-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\na,b\n1,2",
      ),
    ],
    [
      "a calendar",
      multipart("multipart/mixed", "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nEND:VCALENDAR"),
    ],
    [
      "alternatives",
      multipart(
        "multipart/alternative",
        "Content-Type: text/plain\n\nHi",
        "Content-Type: text/x-amp-html\n\n<html amp4email></html>",
      ),
    ],
    [
      "PGP",
      multipart(
        'multipart/encrypted; protocol="application/pgp-encrypted"',
        "Content-Type: application/pgp-encrypted\n\nVersion: 1",
        "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----",
      ),
    ],
    [
      "S/MIME",
      "Content-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CA\n",
    ],
    ["flowed text", "Content-Type: text/plain; format=flowed\n\n> a \n> b\n-- \nme\n"],
    ["cp437", "Content-Type: text/plain; charset=cp437\n\nGr\x81\xe1e\n"],
    ["utf-7", "Content-Type: text/plain; charset=utf-7\n\nGr+APwA3w-e\n"],
    ["Latin-1 without a charset", "\nGr\xfc\xdfe\n"],
    ["no last line end", "\nHi"],
    ["dots and NUL", "\n.\n..\n\0\n"],
    ["nothing", "\n"],
  ])("stand: %s", async (_, rest) => {
    const team = await makeTeam()
    const message = bytesOf(`${head(team)}${rest}`)
    const { raw, shown } = await handedOver(team, message)
    expect(bodyOf(raw).toString("latin1")).toBe(bodyOf(message).toString("latin1"))
    expect(shown.raw.length).toBeGreaterThan(0)
  })

  it("stand in a large message", async () => {
    const team = await makeTeam()
    const lines = `${"\xfc".repeat(76)}\n`.repeat(40_000)
    const message = bytesOf(`${head(team)}\n${lines}`)
    const { raw } = await handedOver(team, message)
    expect(bodyOf(raw).equals(bodyOf(message))).toBe(true)
  })

  it("have CRLF in place of a bare CR or LF", async () => {
    const team = await makeTeam()
    const message = Buffer.from(`${head(team)}\na\rb\n\r\nc\r\n`)
    expect(bodyOf((await handedOver(team, message)).raw).toString()).toBe("a\r\nb\r\n\r\nc\r\n")
  })
})

describe("the header", () => {
  it("stands as it came: repeated fields, names with _, folds and UTF-8", async () => {
    const team = await makeTeam()
    const fields = [
      "X-Twice: one",
      "X-Twice: two",
      "X_Odd : yes",
      "References: <a@x.test>",
      "\t<b@x.test>",
      "X-Greeting: Gr\xc3\xbc\xc3\x9fe",
      'List-Id: "Our list, GmbH" <news.x.test>',
      "Date: Sun, 22 Nov 2026 04:14:58 +0000",
      "MIME-Version: 1.0",
      `Message-ID: <own@mail.${team.domain}>`,
    ].join("\n")
    const message = `${head(team, fields)}\n\nHi\n`
    expect((await handedOver(team, message)).raw).toEqual(bytesOf(message))
  })

  it("loses what may not be sent", async () => {
    const team = await makeTeam()
    const { raw } = await handedOver(
      team,
      `Received: from a\n by b\n${head(team)}Bcc: hidden@x.test,\n other@x.test\nReturn-Path: <r@x.test>\nDKIM-Signature: v=1; d=${team.domain};\n s=a\nDKIM-Signature: v=1; d=x.test; s=a\nX-SES-Configuration-Set: theirs\nX-SMTPAPI: {}\nX-Mailer: App\n\nHi\n`,
    )
    const kept = headOf(raw).split("\r\n").slice(3)
    expect(kept).toEqual([
      `From: App <app@${team.domain}>`,
      `To: ${TO}`,
      "Subject: Hi",
      "DKIM-Signature: v=1; d=x.test; s=a",
      "X-Mailer: App",
    ])
  })

  it("gains Date, Message-ID and MIME-Version where they are missing", async () => {
    const team = await makeTeam()
    const { id, raw } = await handedOver(team, `${head(team)}\nHi\n`)
    const [date, messageId, version] = headOf(raw).split("\r\n")
    expect(Date.parse(date!.replace("Date: ", ""))).toBeGreaterThan(0)
    expect(messageId).toBe(`Message-ID: <${id}@${team.domain}>`)
    expect(version).toBe("MIME-Version: 1.0")
  })

  it.each(["<1@x.test>", "1@own.test", "<1@notown.test>", ""])(
    "has a Message-ID of its own in place of %s, which stays under another name",
    async (given) => {
      const team = await makeTeam()
      const { id, raw } = await handedOver(team, `${head(team)}Message-ID: ${given}\n\nHi\n`)
      expect(headOf(raw)).toContain(`\r\nMessage-ID: <${id}@${team.domain}>\r\n`)
      expect(headOf(raw)).toContain(`\r\nX-Original-Message-ID: ${given}`)
    },
  )
})

describe("the record of a raw message", () => {
  it("has the recipients of the envelope as the header names them, and the subject", async () => {
    const team = await makeTeam()
    const message = `From: =?utf-8?q?J=C3=B6rg?= <APP@${team.domain}>\nTo: "Ann, A." <ann@x.test>, out@x.test\nCc: Team: Bob (B) <BOB@x.test>;\nReply-To: help@x.test, nobody\nSubject: =?utf-8?q?Gr=C3=BC?=\n =?utf-8?q?=C3=9Fe?=\n\nHi\n`
    const { id, shown } = await handedOver(
      team,
      message,
      "to=ANN@x.test&to=bob@x.test&to=carl@x.test",
    )
    expect((await team.api.get(`/emails/${id}`)).body).toMatchObject({
      from: `Jörg <app@${team.domain}>`,
      to: ['"Ann, A." <ann@x.test>'],
      cc: ["Bob <bob@x.test>"],
      bcc: ["carl@x.test"],
      replyTo: ["help@x.test"],
      subject: "Grüße",
    })
    expect(shown.envelope.to.toSorted()).toEqual(["ann@x.test", "bob@x.test", "carl@x.test"])
  })

  it("has only bcc where the header names nobody, and no subject", async () => {
    const team = await makeTeam()
    const { id } = await handedOver(team, `From: app@${team.domain}\n\nHi\n`)
    const { body } = await team.api.get(`/emails/${id}`)
    expect(body).toMatchObject({ to: [], cc: [], bcc: [TO], subject: "" })
  })

  it("has the tags and the time that the call names", async () => {
    const team = await makeTeam()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const query = `to=${TO}&tag=kind:a:b&tag=shop:1&scheduledAt=${at}`
    const { body } = await sendRaw(team, `${head(team)}\nHi\n`, query)
    const { body: email } = await team.api.get(`/emails/${body.id}`)
    expect(email).toMatchObject({ tags: { kind: "a:b", shop: "1" }, scheduledAt: at })
    expect((await team.api.get(`/emails/${body.id}/raw`)).status).toBe(404)
  })
})

describe("accepting a raw message", () => {
  it("is one round trip and four rows", async () => {
    const team = await makeTeam()
    await sendRaw(team, `${head(team)}\nHi\n`)
    const meter = await metered(() => sendRaw(team, `${head(team)}\nHi\n`))
    expect(meter).toMatchObject({ roundTrips: 1, rowsWritten: 4 })
  })

  it("answers a repeat with the first id, and another message with 409", async () => {
    const team = await makeTeam()
    const send = (message: string, to = TO) =>
      sendRaw(team, message, `to=${to}`, { "idempotency-key": "k" })
    const first = await send(`${head(team)}\nHi\n`)
    expect(first.status).toBe(201)
    const again = await send(`Received: from a\n${head(team)}\nHi\n`)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await send(`${head(team)}\nHo\n`)).body.error.code).toBe("idempotency_conflict")
    expect((await send(`${head(team)}\nHi\n`, "other@x.test")).status).toBe(409)
  })

  it("holds the rules of a send", async () => {
    const team = await makeTeam()
    await team.api.post("/suppressions", { email: TO })
    expect((await sendRaw(team, `${head(team)}\nHi\n`)).body.error).toMatchObject({
      code: "suppressed_recipient",
      details: [{ email: TO, reason: "manual" }],
    })
    const skipping = `to=${TO}&to=ann@x.test&onSuppressed=skip`
    expect((await sendRaw(team, `${head(team)}\nHi\n`, skipping)).status).toBe(201)
    const elsewhere = await sendRaw(team, "From: a@elsewhere.test\n\nHi\n", "to=ann@x.test")
    expect(elsewhere.body.error.code).toBe("domain_not_verified")
    const wrong = await sendRaw(team, "no message", "", { authorization: "Bearer wrong" })
    expect(wrong.status).toBe(401)
    const { status, body } = await team.sendingOnly.post(
      "/emails/raw?to=ann@x.test",
      bytesOf(`${head(team)}\nHi\n`),
    )
    expect(status).toBe(201)
    expect((await team.sendingOnly.get(`/emails/${body.id}/raw`)).status).toBe(403)
  })

  it.each([
    ["", "to"],
    [Array.from({ length: 51 }, (_, at) => `to=a${at}@x.test`).join("&"), "to"],
    ["to=nobody", "to"],
    [`to=${TO}&trackOpens=yes`, "trackOpens"],
    [`to=${TO}&trackopens=true`, "trackopens"],
    [`to=${TO}&tag=kind`, "tag"],
    [`to=${TO}&tag=a:1&tag=a:2`, "tag"],
    [`to=${TO}&tag=a b:1`, "tag"],
    [`to=${TO}&scheduledAt=2026-01-01T00:00:00`, "scheduledAt"],
  ])("refuses the query %#", async (query, member) => {
    const team = await makeTeam()
    const { status, body } = await sendRaw(team, `${head(team)}\nHi\n`, query)
    expect([status, body.error.details[0].path[0]]).toEqual([400, member])
  })
})

it("a name may be an address without quotes, as many programs write it", async () => {
  const team = await makeTeam()
  const sender = `app@${team.domain}`
  const message = `From: ${sender} <${sender}>\nTo: ann@x.test <ann@x.test>\nSubject: Hi\n\nHi\n`
  const { id } = await handedOver(team, message, "to=ann@x.test")
  expect((await team.api.get(`/emails/${id}`)).body).toMatchObject({
    from: `"${sender}" <${sender}>`,
    to: ['"ann@x.test" <ann@x.test>'],
    bcc: [],
  })
})

describe("a message that cannot be sent is refused with its place", () => {
  const nested = (levels: number) =>
    Array.from(
      { length: levels },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    ).join("")
  const flat = (parts: number) =>
    `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(parts)}--b--\n`
  const FROM = "From: a@own.test\n"
  it.each([
    ["no sender", "Subject: Hi\n\nHi", /no From/],
    ["a second sender", `${FROM}Subject: Hi\nFrom: b@own.test\n\nHi`, /^Line 3: .*second From/],
    ["two mailboxes", "From: a@own.test, b@own.test\n\nHi", /^Line 1: .*one mailbox/],
    ["a sender without an address", "From: App\n\nHi", /^Line 1: .*one mailbox/],
    ["an empty sender", "From:\n\nHi", /^Line 1: .*one mailbox/],
    ["a line that is no field", `${FROM}Hello there\n\nHi`, /^Line 2 is no header/],
    ["a line of mbox", `From a@own.test Sun Nov 22\n${FROM}\nHi`, /^Line 1 is no header/],
    ["a folded first line", ` a\n${FROM}\nHi`, /^Line 1 is no header/],
    ["bytes that are no UTF-8", `${FROM}X: a\n b\nSubject: Gr\xfc\n\nHi`, /^Line 4: .*not UTF-8/],
    [
      "a long line",
      `${FROM}\n${"x".repeat(998)}\n${"x".repeat(999)}\n`,
      /^Line 4 has more than 998/,
    ],
    ["a long last line", `${FROM}\n${"x".repeat(999)}`, /^Line 3 has more than 998/],
    ["1,001 header lines", `${FROM}${"X: a\n".repeat(998)}Y: a\n b\n\nHi`, /1000 lines/],
    [
      "a header over 256 KiB",
      `${FROM}${`X: ${"a".repeat(900)}\n`.repeat(300)}\nHi`,
      /262144 bytes/,
    ],
    [
      "a part's header",
      `${FROM}Content-Type: multipart/mixed; boundary=b\n\n--b\n${"X: a\n".repeat(1_001)}`,
      /^Line 5: .*1000 lines/,
    ],
    ["a structure of 21 levels", `${FROM}${nested(20)}\nHi`, /^Line 62: .*deeper than 20/],
    ["1,001 parts", `${FROM}${flat(1_001)}`, /^Line 3005: .*1000 parts/],
  ])("%s", async (_, message, reason) => {
    const team = await makeTeam()
    const { status, body } = await sendRaw(team, message.replaceAll("own.test", team.domain))
    expect([status, body.error?.code]).toEqual([400, "validation_error"])
    expect(body.error.message).toMatch(reason)
  })

  it.each([
    ["1,000 header lines", `${FROM}${"X: a\n".repeat(999)}\nHi`],
    ["a structure of 20 levels", `${FROM}${nested(19)}\nHi`],
    ["1,000 parts", `${FROM}${flat(1_000)}`],
    ["998 octets in a line", `${FROM}\n${"x".repeat(998)}\n`],
    ["no body", "From: a@own.test"],
  ])("but not %s", async (_, message) => {
    const team = await makeTeam()
    expect((await sendRaw(team, message.replaceAll("own.test", team.domain))).status).toBe(201)
  })

  it("over 25 MiB, also with its line ends", async () => {
    const team = await makeTeam()
    const lines = Buffer.from(`${head(team)}\n${"\n".repeat(13 * 1024 * 1024)}`)
    expect((await sendRaw(team, lines)).status).toBe(413)
    const large = Buffer.alloc(25 * 1024 * 1024 + 1, "a\r\n")
    expect((await sendRaw(team, large)).status).toBe(413)
  })
})
