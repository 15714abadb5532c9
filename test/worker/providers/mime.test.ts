import PostalMime, { type Address, type Email } from "postal-mime"
import { afterAll, describe, expect, it } from "vitest"
import { createLargeParts } from "../../../src/worker/providers/large-parts.ts"
import { composeMime } from "../../../src/worker/providers/mime.ts"
import { type OutgoingMessage, UnwritableMessage } from "../../../src/worker/providers/provider.ts"
import { smtp } from "../../../src/worker/providers/smtp/smtp.ts"
import { receivedBy, smtpSettings } from "../../support/smtp/inbox.ts"
import { outgoing } from "../../support/smtp/message.ts"
import { leavesOf, parseParts, shapeOf } from "../../support/smtp/parts.ts"
import { testWork } from "../../support/work.ts"

const attached = (
  filename: string,
  content: string | Buffer,
  more: { contentType?: string; contentId?: string } = {},
) => ({ filename, content: Buffer.from(content).toString("base64"), ...more })

const INVITATION = { contentType: "text/calendar; charset=utf-8; method=REQUEST" }
const pixel = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64")
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

/** nodemailer takes these names for `message/rfc822` and `multipart/x-gzip`. */
const COMPOSITE_NAMES = ["a.eml", "A.EML", "a.mht", "a.mhtml", "a.mime", "a.nws", "eml", "a.gzip"]

type Case = Partial<OutgoingMessage> & { shape: string }

const ALTERNATIVE = "alternative(text/plain, text/html)"
const cases: Record<string, Case> = {
  "text alone": { text: "Hi", shape: "text/plain" },
  "the sender's own Message-ID": { messageId: "<A.1@example.test>", shape: "text/plain" },
  "text with a final newline": { text: "Hi\n", shape: "text/plain" },
  "text with two final newlines": { text: "Hi\n\n", shape: "text/plain" },
  "text of CRLF lines": { text: "one\r\ntwo\r\n", shape: "text/plain" },
  "html alone": { text: null, html: "<p>Hi</p>", shape: "text/html" },
  "text and html": { html: "<p>Hi</p>\n", shape: ALTERNATIVE },
  "lines that begin with dots": { text: ".\n..\n.x\n\n.\n", shape: "text/plain" },
  "one dot": { text: ".", shape: "text/plain" },
  "text that tries to end the message": {
    text: "a\n.\nMAIL FROM:<x@y.test>\r\n.\r\nb\r.\rQUIT\r",
    attachments: [attached("a.txt", "\n.\n\r.\r\r\n.\r\nQUIT\r\n", { contentType: "text/plain" })],
    shape: "mixed(text/plain, text/plain)",
  },
  "a line of 5,000 characters": { text: "x".repeat(5_000), shape: "text/plain" },
  "html in one line of 200,000 characters": {
    text: null,
    html: `<p>${"word ".repeat(40_000)}</p>`,
    shape: "text/html",
  },
  "mostly ASCII text": { text: "Grüße aus Köln, 5 € the lot\n", shape: "text/plain" },
  "Japanese text": { text: "日本語のメール。\n".repeat(50), shape: "text/plain" },
  "emoji across encoded lines": { text: "a😀".repeat(300), html: "😀", shape: ALTERNATIVE },
  "trailing blanks and tabs": { text: "ü \nb\t\n  c  \n\t", shape: "text/plain" },
  "text that looks encoded": { text: "=3D =?utf-8?Q?x?= =\nü=\n", shape: "text/plain" },
  "text that looks like a boundary": { text: "--\n----_NmP-1\n", html: "--", shape: ALTERNATIVE },
  "From at the start of lines": { text: "From me\n>From you\n", shape: "text/plain" },
  "blank lines first": { text: "\n\nHi", shape: "text/plain" },
  "an attachment": {
    attachments: [attached("a.pdf", everyByte, { contentType: "application/pdf" })],
    shape: "mixed(text/plain, application/pdf)",
  },
  "an empty file": {
    attachments: [attached("empty.csv", "", { contentType: "text/csv" }), attached("a.csv", "a,b")],
    shape: "mixed(text/plain, text/csv, text/csv)",
  },
  "text, html and attachments of every byte": {
    html: "<p>Hi</p>",
    attachments: [attached("a.bin", everyByte), attached("b.txt", "one\ntwo\r\nthree")],
    shape: `mixed(${ALTERNATIVE}, application/octet-stream, text/plain)`,
  },
  "an inline image": {
    html: '<img src="cid:logo">',
    attachments: [attached("logo.gif", pixel, { contentType: "image/gif", contentId: "logo" })],
    shape: "alternative(text/plain, related(text/html, image/gif))",
  },
  "an inline image and an attachment": {
    text: null,
    html: '<img src="cid:logo@x">',
    attachments: [
      attached("logo.gif", pixel, { contentType: "image/gif", contentId: "logo@x" }),
      attached("a.csv", "a,b\n", { contentType: "text/csv; charset=utf-8" }),
    ],
    shape: "mixed(related(text/html, image/gif), text/csv)",
  },
  "photos of a phone and a pass, known by their names": {
    attachments: [attached("IMG_1.HEIC", "a"), attached("ticket.pkpass", "b")],
    shape: "mixed(text/plain, image/heic, application/vnd.apple.pkpass)",
  },
  "a message as an attachment": {
    attachments: [attached("m.eml", "Subject: x\n\nHi ü\n", { contentType: "message/rfc822" })],
    shape: "mixed(text/plain, application/octet-stream)",
  },
  "small files whose names stand for messages or multiparts": {
    attachments: COMPOSITE_NAMES.map((name) => attached(name, everyByte)),
    shape: `mixed(text/plain, ${COMPOSITE_NAMES.map(() => "application/octet-stream").join(", ")})`,
  },
  "large files whose names stand for messages or multiparts": {
    attachments: COMPOSITE_NAMES.map((name, index) =>
      attached(name, Buffer.alloc(90_000, `\n\0ü${index}`)),
    ),
    shape: `mixed(text/plain, ${COMPOSITE_NAMES.map(() => "application/octet-stream").join(", ")})`,
  },
  "an inline message": {
    html: '<img src="cid:m">',
    attachments: [attached("m.eml", everyByte, { contentId: "m" })],
    shape: "alternative(text/plain, related(text/html, application/octet-stream))",
  },
  "attachments that claim to be multipart": {
    attachments: [
      attached("m", "--x\r\n\r\nHi\r\n--x--", { contentType: "multipart/mixed; boundary=x" }),
      attached("n", "two", { contentType: "multipart/alternative" }),
    ],
    shape: "mixed(text/plain, application/octet-stream, application/octet-stream)",
  },
  "large parts, among small ones": {
    text: "one\ntwo\r\nGr\u00fc\u00dfe\n".repeat(50_000),
    html: "<p>Hi</p>\n".repeat(80_000),
    attachments: [
      attached("logo.gif", Buffer.alloc(90_000, "z"), { contentId: "logo" }),
      attached("a.bin", Buffer.alloc(600_001, "x")),
      attached("small.bin", everyByte),
      attached("b.bin", Buffer.alloc(76 * 8_192, "y")),
    ],
    shape:
      "mixed(alternative(text/plain, related(text/html, image/gif)), application/octet-stream, application/octet-stream, application/octet-stream)",
  },
  "an invitation": {
    attachments: [attached("i.ics", "BEGIN:VCALENDAR\r\n", INVITATION)],
    shape: "alternative(text/plain, text/calendar)",
  },
  "a large invitation, with html and a file": {
    html: "<p>Hi</p>",
    attachments: [
      attached("i.ics", "BEGIN:VCALENDAR\r\n".repeat(9_000), INVITATION),
      attached("i.ics", "BEGIN:VCALENDAR\r\n", { contentType: "application/ics" }),
    ],
    shape: "mixed(alternative(text/plain, text/html, text/calendar), application/ics)",
  },
  "a calendar as a file, and a second invitation": {
    attachments: [
      attached("a.ics", "BEGIN:VCALENDAR\r\n", INVITATION),
      attached("b.ics", "BEGIN:VCALENDAR\r\n", { contentType: "text/calendar" }),
      attached("c.ics", "BEGIN:VCALENDAR\r\n", INVITATION),
    ],
    shape: "mixed(alternative(text/plain, text/calendar), text/calendar, text/calendar)",
  },
  "file names beyond ASCII": {
    attachments: ["Rechnung März.pdf", "請求書.pdf", "😀.pdf"].map((name) => attached(name, "x")),
    shape: "mixed(text/plain, application/pdf, application/pdf, application/pdf)",
  },
  "file names with specials": {
    attachments: ['say "hi".txt', "a;b=c.txt", "back\\slash.txt", "100%20.txt", "it's.txt"].map(
      (name) => attached(name, "x"),
    ),
    shape: "mixed(text/plain, text/plain, text/plain, text/plain, text/plain, text/plain)",
  },
  "file names of 250 characters": {
    attachments: [attached(`${"a".repeat(246)}.txt`, "x"), attached(`${"ü".repeat(246)}.txt`, "x")],
    shape: "mixed(text/plain, text/plain, text/plain)",
  },
  "a subject beyond ASCII": { subject: "Grüße 日本語 😀", shape: "text/plain" },
  "a subject of 998 characters": { subject: `${"word ".repeat(199)}end`, shape: "text/plain" },
  "a subject of 998 characters beyond ASCII": { subject: "ü".repeat(998), shape: "text/plain" },
  "a subject without a space": { subject: "x".repeat(998), shape: "text/plain" },
  "a subject that looks encoded": { subject: "=?utf-8?Q?=41?= $5", shape: "text/plain" },
  "names beyond ASCII": {
    from: { address: "sender@example.test", name: "Jürgen Müller" },
    replyTo: [{ address: "r@example.test", name: "日本 太郎" }],
    shape: "text/plain",
  },
  "names with specials": {
    from: { address: "sender@example.test", name: 'Doe, "J" <x@y.z>' },
    replyTo: [{ address: "r@example.test", name: "A (b); c: d\\e" }],
    shape: "text/plain",
  },
  "fifty recipients": {
    cc: Array.from({ length: 25 }, (_, i) => ({
      address: `c${i}@example.test`,
      name: `Cc Ü ${i}`,
    })),
    bcc: Array.from({ length: 24 }, (_, i) => ({ address: `b${i}@example.test` })),
    shape: "text/plain",
  },
  "custom headers": {
    headers: {
      "X-MiXeD-cAsE": "kept",
      "x-lower": "a".repeat(900),
      "X-Words": "word ".repeat(150).trim(),
      "X-Umlaut": "Grüße",
      "In-Reply-To": "<a@b.c>",
      References: "<a@b.c> <d@e.f>",
      "Auto-Submitted": "auto-generated",
    },
    shape: "text/plain",
  },
  "one-click unsubscribe": {
    headers: {
      "List-Unsubscribe": `<https://mail.example.test/unsubscribe/${"t".repeat(400)}>, <mailto:u@example.test>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
    shape: "text/plain",
  },
}

const { work } = testWork({ settings: smtpSettings() })
const provider = smtp(work)
afterAll(() => provider.close?.())

describe("a real server receives what was sent", () => {
  it.each(Object.entries(cases))("%s", async (_name, { shape, ...changes }) => {
    const message = outgoing(changes)
    expect(await provider.send(message)).toMatchObject({ ok: true, bounces: [] })
    const [received] = await receivedBy(message.to[0]?.address ?? "")
    const raw = received?.raw ?? Buffer.alloc(0)
    expectWellFormed(raw)
    expectHeaders(message, await PostalMime.parse(raw))
    expect(shapeOf(parseParts(raw))).toBe(shape)
    expectContent(message, raw)
    expect(received).toMatchObject({
      from: message.from.address,
      to: [...message.to, ...message.cc, ...message.bcc].map(({ address }) => address),
    })
  })
})

it.each(Object.entries(cases))(
  "%s is composed with CRLF only",
  async (_name, { shape, ...changes }) => {
    const raw = await composeMime(outgoing(changes), 0)
    expectWellFormed(raw)
    expect(shapeOf(parseParts(raw))).toBe(shape)
  },
)

/** The extensions that nodemailer takes for `text/…`. */
const TEXT_EXTENSIONS =
  "323 3dml abc acgi aip asm asp bas c c++ cc conf cpp csh css csv curl cxx dcurl def dsc el etx f f77 f90 flx fly for g gv h hh hlb htc htm html htmls htt htx ics idc jad jav java list log lst m mar mcurl n3 p par pas pl pm py rexx rt rtx s sct scurl sdml sgm sgml shtml spc spot ssi stm t talk tcl tcsh tsv ttl txt uil uls uni unis uri uris uue vcf vcs wml wmls wsc zsh"
const TYPES = [
  ...["message/rfc822", "message/delivery-status", "Message/Partial; number=1", "message/global"],
  ...["multipart/mixed", "multipart/x-zip", 'multipart/signed; boundary="b"', "multipart/digest"],
  ...["text/plain; charset=utf-16", "text/html", "text/rfc822-headers", "text/calendar", "text/x"],
  "application/pkcs7-mime",
]

describe("every file arrives byte for byte", () => {
  const contents = {
    "a small one": Buffer.concat([Buffer.from("\n.\r\r\nFrom x\n\t \n"), everyByte]),
    "a small one of ASCII": Buffer.from(`Subject: x\n\n${"x".repeat(3_000)}\n`),
    "a large one": Buffer.alloc(70_000, Buffer.concat([everyByte, Buffer.from("\r\n.\n")])),
  }
  const files = [
    ...TEXT_EXTENSIONS.split(" ").map((extension) => ({ filename: `a.${extension}` })),
    ...COMPOSITE_NAMES.map((filename) => ({ filename })),
    ...TYPES.map((contentType) => ({ filename: "a.eml", contentType })),
  ].flatMap((file) => [file, { ...file, contentId: "c" }])

  it.each(Object.entries(contents))("%s", async (_size, content) => {
    for (const some of chunksOf(files, 20)) {
      const attachments = some.map((file) => ({ ...file, content: content.toString("base64") }))
      const raw = await composeMime(outgoing({ html: "<p>Hi</p>", attachments }), 0)
      expectWellFormed(raw)
      const leaves = leavesOf(parseParts(raw)).slice(2)
      const changed = leaves.filter((leaf) => !leaf.content.equals(content))
      expect(changed.map(({ headers }) => headers.get("content-type"))).toEqual([])
      expect(leaves).toHaveLength(some.length)
    }
  })
})

function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return list.length > 0 ? [list.slice(0, size), ...chunksOf(list.slice(size), size)] : []
}

describe("a large part", () => {
  const large = createLargeParts("em_1")
  const standIn = large.standIn("eHh4")
  const written = (text: string) => [...large.putInto(Buffer.from(text))].join("")

  it("stands in the place of its stand-in", () => {
    expect(written(`a\r\n\r\n${standIn}\r\n`)).toBe("a\r\n\r\neHh4\r\n")
  })

  it.each(["nothing", `${standIn} and ${standIn}`, Buffer.from(standIn, "base64").toString()])(
    "fails the message if its place is not there once: %s",
    (text) => expect(() => written(text)).toThrow(UnwritableMessage),
  )
})

it.each([57 * 8_192, 57 * 8_192 + 1, 57 * 8_193, 57 * 8_193 - 1])(
  "a file of %i bytes has lines of 76 characters",
  async (bytes) => {
    const attachments = [attached("a.bin", Buffer.alloc(bytes, "x"))]
    const raw = (await composeMime(outgoing({ attachments }), 0)).toString("latin1")
    const lines = raw.split("\r\n").filter((line) => /^e[AH]/.test(line))
    expect(lines.slice(0, -1).every((line) => line.length === 76)).toBe(true)
    expect(Buffer.from(lines.join(""), "base64")).toHaveLength(bytes)
  },
)

it("a message is composed before the next timer fires", async () => {
  await composeMime(outgoing({ html: "<p>Hi</p>" }), 0)
  const composed = composeMime(outgoing({ html: "<p>Hi</p>" }), 0).then(() => "composed")
  const timer = new Promise((resolve) => setTimeout(resolve, 1, "timer"))
  expect(await Promise.race([composed, timer])).toBe("composed")
})

describe("no field of a message can add a header", () => {
  const hostile = "x\r\nX-Injected: 1\r\n\r\nbody"
  const mailbox = { address: "a@example.test", name: hostile }
  const ways: Record<string, Partial<OutgoingMessage>> = {
    "the sender's name": { from: { address: "sender@example.test", name: hostile } },
    "a recipient's name": { cc: [mailbox] },
    "a reply-to name": { replyTo: [mailbox] },
    "the subject": { subject: hostile },
    "a subject that is encoded": { subject: `=?${hostile}` },
    "a header's value": { headers: { "X-Own": hostile } },
    "a header's name": { headers: { "X-Own: 1\r\nX-Injected": "1" } },
    "a file's name": { attachments: [attached(hostile, "x")] },
    "a content type": { attachments: [attached("a", "x", { contentType: `a/b; ${hostile}` })] },
    "a content id": { attachments: [attached("a", "x", { contentId: hostile })] },
  }

  it.each(Object.entries(ways))("%s", async (_where, changes) => {
    const raw = (await composeMime(outgoing(changes), 0)).toString("latin1")
    expect(raw).toMatch(/^From: /m)
    expect(raw).not.toMatch(/^X-Injected/im)
  })
})

function expectWellFormed(raw: Buffer) {
  const text = raw.toString("latin1")
  expect(text).not.toMatch(/[^\r]\n|\r[^\n]|[\u0080-\u00ff]/)
  expect(Math.max(...text.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998)
  expect(text).not.toMatch(/^bcc:/im)
}

function expectHeaders(message: OutgoingMessage, parsed: Email) {
  const { messageId = `<${message.emailId}@example.test>` } = message
  expect(parsed.messageId).toBe(messageId)
  const plain = (list: Address[] | undefined = []) =>
    list.map(({ address, name }) => ({ address, name: name ?? "" }))
  const named = (list: OutgoingMessage["to"]) =>
    list.map(({ address, name }) => ({ address, name: name ?? "" }))
  expect(parsed.subject).toBe(message.subject)
  expect(plain(parsed.from && [parsed.from])).toEqual(named([message.from]))
  expect(plain(parsed.to)).toEqual(named(message.to))
  expect(plain(parsed.cc)).toEqual(named(message.cc))
  expect(plain(parsed.replyTo)).toEqual(named(message.replyTo))
}

function expectContent(message: OutgoingMessage, raw: Buffer) {
  const whole = parseParts(raw)
  const leaves = leavesOf(whole)
  const crlf = (text: string) => text.replace(/\r\n|\r|\n/g, "\r\n")
  const bodies = [message.text, message.html].filter((body) => body !== null)
  const texts = leaves.slice(0, bodies.length)
  // A message of one part ends with a line end on the wire, whether its text does or not.
  const ends = whole.parts.length > 0 ? [""] : ["", "\r\n"]
  for (const [index, body] of bodies.entries()) {
    expect(ends.map((end) => crlf(body) + end)).toContain(
      crlf(texts[index]?.content.toString("utf8") ?? ""),
    )
  }
  for (const [name, value] of Object.entries(message.headers)) {
    if (/^[ -~]*$/.test(value)) expect(whole.headers.get(name.toLowerCase())).toBe(value)
    expect(raw.toString("latin1")).toMatch(new RegExp(`^${name}:\\s`, "m"))
  }
  for (const [index, { content, contentId, contentType }] of message.attachments.entries()) {
    const leaf = leaves[bodies.length + index]
    expect(leaf?.content.equals(Buffer.from(content, "base64"))).toBe(true)
    if (contentId) expect(leaf?.headers.get("content-id")).toBe(`<${contentId}>`)
    if (index === 0 && contentType === INVITATION.contentType) {
      expect(leaf?.headers.get("content-type")).toBe(contentType)
      expect(leaf?.headers.has("content-disposition")).toBe(false)
      continue
    }
    expect(leaf?.headers.get("content-disposition")).toMatch(contentId ? /^inline/ : /^attachment/)
  }
}
