import { describe, expect, it } from "vitest"
import { parseMessage } from "../../../src/worker/received/reading/parse.ts"
import { replyTextOf, replyTextOfHtml } from "../../../src/worker/received/reading/reply-text.ts"

const parse = (...lines: string[]) => parseMessage(Buffer.from(lines.join("\r\n"), "latin1"))

const report = (type: string, part: string) =>
  parse(
    `Content-Type: multipart/report; report-type=${type}; boundary=b`,
    "",
    "--b",
    "",
    "It failed.",
    "--b",
    `Content-Type: ${part}`,
    "",
    "Final-Recipient: rfc822; ada@example.com",
    "--b--",
  )

describe("the kind of a message", () => {
  it.each([
    ["message", []],
    ["message", ["Auto-Submitted: no"]],
    ["message", ["Precedence: first-class"]],
    ["autoReply", ["Auto-Submitted: auto-replied"]],
    ["autoReply", ["Precedence: LIST"]],
  ])("is %s with %j", async (kind, headers) => {
    expect((await parse(...headers, "", "Hi")).kind).toBe(kind)
  })

  it("is a bounce or a complaint only as a report", async () => {
    expect((await report("delivery-status", "message/delivery-status")).kind).toBe("bounce")
    expect((await report("feedback-report", "message/feedback-report")).kind).toBe("complaint")
    expect(
      (await report("disposition-notification", "message/disposition-notification")).kind,
    ).toBe("message")
    expect((await report("delivery-status", "text/plain")).kind).toBe("message")
  })
})

it("reads an address after a name that lacks its quotes", async () => {
  const message = await parse("From: ada@home.test <ada@example.com>", "To: a[b] <b@example.com>")
  expect(message.from).toEqual({ email: "ada@example.com", name: "ada@home.test" })
  expect(message.details.to).toEqual([{ email: "b@example.com", name: "a[b]" }])
})

it("reads texts, names and files in their encodings", async () => {
  const message = await parse(
    "From: =?utf-8?B?w4RkYQ==?= <ADA@example.com>",
    "To: team: a@example.com, Bob <b@example.com>;",
    "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Gr=FC=DFe",
    "--b",
    "Content-Type: text/html",
    "",
    "<p>Hi</p>",
    "--b",
    "Content-Type: image/png; name*=utf-8''b%C3%A4r.png",
    "Content-ID: <bear>",
    "Content-Transfer-Encoding: base64",
    "",
    "aGVs",
    "bG8=",
    "--b--",
  )
  expect(message).toMatchObject({
    isWhole: true,
    from: { email: "ada@example.com", name: "Äda" },
    subject: "Grüße",
    text: "Grüße",
    html: "<p>Hi</p>",
    details: {
      to: [
        { email: "a@example.com", name: null },
        { email: "b@example.com", name: "Bob" },
      ],
      attachments: [{ filename: "bär.png", contentType: "image/png", contentId: "bear", size: 5 }],
    },
  })
})

it("reads header fields that are neither ASCII nor UTF-8, as bodies without a charset", async () => {
  const message = await parse(
    "From: J\xfcrgen M\xfcller <j@example.com>",
    "Subject: Gr\xfc\xdfe",
    "Content-Type: text/plain; name=b\xfccher.txt",
    "Content-Disposition: attachment",
    "",
    "K\xf6ln",
  )
  expect(message).toMatchObject({
    from: { name: "Jürgen Müller" },
    subject: "Grüße",
    details: { attachments: [{ filename: "bücher.txt" }] },
  })
})

it("reads the name of a file that has blanks and no quotes", async () => {
  const message = await parse(
    "Content-Type: application/pdf ; charset=x ignored",
    "Content-Disposition: attachment; filename = Invoice 2024 (2).pdf ; size=2",
    "",
    "Hi",
  )
  expect(message.details.attachments).toMatchObject([{ filename: "Invoice 2024 (2).pdf" }])
  expect(message.parts[0]?.parameters).toEqual({ charset: "x" })
})

describe("a message that cannot be read is kept with its header", () => {
  const parts = (count: number) =>
    parse(
      "Subject: Many",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...Array(count).fill("--b\r\n\r\na"),
    )
  const deep = (depth: number) =>
    parse(
      "Subject: Deep",
      ...Array.from(
        { length: depth },
        (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`,
      ),
      "",
      "a",
    )

  it("with more than 1,000 parts", async () => {
    expect(await parts(1_000)).toMatchObject({ isWhole: true })
    expect(await parts(1_001)).toMatchObject({ isWhole: false, subject: "Many", text: null })
  })

  it("deeper than 20", async () => {
    expect(await deep(19)).toMatchObject({ isWhole: true })
    expect(await deep(20)).toMatchObject({ isWhole: false, subject: "Deep" })
  })

  it("with more than 256 KiB of headers", async () => {
    const message = await parse("Subject: Large", `X-A: ${"a".repeat(256 * 1024)}`, "", "Hi")
    expect(message).toMatchObject({ isWhole: false, subject: "Large" })
  })

  it.each(["", "\r\n", "no header at all", "From: \r\nFrom\r\n:\r\n\r\n"])("%j", async (text) => {
    const message = await parse(text)
    expect(message).toMatchObject({ from: null, subject: "", kind: "message" })
  })
})

it("reads a reply from its html if its plain text is blank", async () => {
  const part = (type: string, content: string) => ["--b", `Content-Type: ${type}`, "", content]
  const parts = [...part("text/plain", " "), ...part("text/html", "<p>Yes.</p>"), "--b--"]
  const message = await parse("Content-Type: multipart/alternative; boundary=b", "", ...parts)
  expect(message).toMatchObject({ replyText: "Yes." })
})

describe("the text of a reply is without", () => {
  it.each([
    ["marked lines", "Yes.\n\n> Is it?\n> Really?", "Yes."],
    [
      "the line above them",
      "Yes.\n\nOn Mon, 1 Jan 2026, Ada <ada@example.com> wrote:\n> Is it?",
      "Yes.",
    ],
    [
      "a folded line above",
      "Yes.\n\nOn Mon, 1 Jan 2026 at 10:00 Ada Lovelace\n<ada@example.com> wrote:\n\n> a",
      "Yes.",
    ],
    [
      "a German line above",
      "Ja.\n\nAm 01.01.2026 um 10:00 schrieb Ada <a@example.com>:\n> a",
      "Ja.",
    ],
    [
      "a quoted header",
      "Yes.\n\nFrom: Ada <ada@example.com>\nSent: Monday\nTo: Bob\n\nold",
      "Yes.",
    ],
    [
      "a quoted header without an address",
      "Yes.\n\nFrom: Ada\nSent: Monday\nTo: Bob\n\nold",
      "Yes.",
    ],
    ["unmarked lines below a date", "Yes.\n\nOn 1 Jan 2026 at 10:00 Ada wrote:\nold", "Yes."],
    ["an original message", "Yes.\n\n-----Original Message-----\nold", "Yes."],
    ...[
      "Od: Ada <a@example.com>\nWysłano: 3 czerwca 2024 10:00\nDo: Bob\nTemat: a\n\nold",
      "От: Ada <a@example.com>\nОтправлено: 3 июня 2024 г. 10:00\nКому: Bob\n\nold",
      "发件人： Ada <a@example.com>\n发送时间： 2024年6月3日 10:00\n收件人： Bob\n\nold",
      "Lähettäjä: Ada <a@example.com>\nLähetetty: 3. kesäkuuta 2024 10.00\nKopio: Bob\n\nold",
      "---- Treść ----\nOd: Ada <a@example.com>\nData: 3.06.2024, 10:00\nDo: Bob\n\nold",
    ].map((header) => ["a header in any language", `Yes.\n\n${header}`, "Yes."]),
    ...[
      "Ada <a@example.com> 于2024年6月3日周一 10:00写道：\n\n> a",
      "Ada Lovelace <a@example.com> 于2024年6月3日周一\n10:00写道：\n> a",
      "Ada <a@example.com> 于2024年6月3日周一 10:00写道：\nold",
      "W dniu 3.06.2024 o 10:00 Ada pisze:\n> a",
    ].map((line) => ["a line above in any language", `Yes.\n\n${line}`, "Yes."]),
    ...["Inviato da iPhone", "Enviado do meu iPhone", "Verstuurd vanaf mijn iPhone"].map((line) => [
      "a phone's signature in other languages",
      `Yes.\n\n${line}\n\n> a`,
      "Yes.",
    ]),
    ["a signature", "Yes.\n-- \nAda\nLondon", "Yes."],
    ["a phone's signature", "Yes.\n\nSent from my iPhone\n\nOn Monday Ada wrote:\n> a", "Yes."],
  ])("%s", (_what, text, reply) => {
    expect(replyTextOf(text)).toBe(reply)
  })

  it.each([
    [
      "what Gmail quotes",
      '<div>Yes.</div><div class="gmail_quote"><div class="gmail_attr">Ada skrifaði:<br></div><blockquote class="gmail_quote">Is it?<blockquote>a</blockquote></blockquote></div>',
      "Yes.\nAda skrifaði:",
    ],
    [
      "what is above an answer",
      '<div class="moz-cite-prefix">On Monday Ada &lt;a@example.com&gt; wrote:</div><blockquote type="cite"><p>Is it?</p></blockquote><p>Yes.</p>',
      "On Monday Ada <a@example.com> wrote:\n\nYes.",
    ],
    [
      "the line above it",
      '<p>Yes.</p><div>On Monday Ada wrote:</div><blockquote type="cite">Is it?</blockquote>',
      "Yes.",
    ],
    [
      "what Outlook quotes",
      '<p>Yes.</p><hr><div id="divRplyFwdMsg"><b>Od:</b> Ada</div><div>Is it?</div>',
      "Yes.",
    ],
    [
      "what Outlook quotes within a quotation",
      '<blockquote type="cite"><div id="divRplyFwdMsg">Od: Ada</div></blockquote><p>Yes.</p>',
      "Yes.",
    ],
    [
      "nothing of a message that only forwards",
      '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">Od: Ada</div><p>Is it?</p>',
      "---\n\nOd: Ada\n\nIs it?",
    ],
    [
      "nothing of an indented paragraph",
      '<p>See:</p><blockquote style="margin-left:40px;border:none">Yes.</blockquote>',
      "See:\n\nYes.",
    ],
  ])("%s, where it is html", async (_what, html, reply) => {
    expect(await replyTextOfHtml(html)).toBe(reply)
  })

  it.each([
    ["answers between the quoted lines", "> Is it?\nYes.\n> Really?\nReally.", "Yes.\nReally."],
    [
      "an answer below",
      "On Monday Ada <a@example.com> wrote:\n> Is it?\n\nYes.",
      "On Monday Ada <a@example.com> wrote:\n\nYes.",
    ],
    ...[
      "Please call Ann <ann@x.com> at 10:\nshe waits.",
      "Hello,\nplease add my colleague Ann <ann@x.com>:\nshe needs access.",
      "Le client a écrit :\nbonjour",
      'Hi Bob,\nOn Monday I wrote:\n"please send"\nand nothing came.',
      "Sent from my perspective this is wrong.\nPlease fix it.",
      "Hi,\nFrom: Berlin to Paris\nDate: 3 June\nplease book.",
      "Please book:\n\nFrom: Berlin\nTo: Paris\nDate: 12 June\nPassengers: 2\n\nThanks",
      "Hi,\nOn March 3 your colleague Bob wrote:\nWe refund you.\nNothing came yet.",
      "On it.\nWe meet on 3 June 2024 at 10:00:\nbring Ann <ann@x.com>",
      "A message:\n\nFrom: Ada <a@x.com>\nSubject: Order\n\nIt arrived broken.",
      "Which phone?\n\niPhone 12",
    ].map((text) => ["words that only look like it", text, text]),
    [
      "a sentence that only looks like it",
      "On Friday Bob wrote to me: come.\nI will.",
      "On Friday Bob wrote to me: come.\nI will.",
    ],
    ["a sentence above the line above", "On it.\nOn Monday Ada wrote:\n> a", "On it."],
    ...[
      "From: Ada <a@x.com>\nDate: 3 Jun 2024 10:00\nSubject: Order\n\nIt arrived broken.",
      "---------- Forwarded message ---------\nFrom: Ada <a@x.com>\n\nIs it?",
      "> Is it?",
      "-- \nAda",
    ].map((text) => ["all that would leave nothing", text, text]),
  ])("but with %s", (_what, text, reply) => {
    expect(replyTextOf(text)).toBe(reply)
  })
})
