import { RFC_8463 } from "./dkim-example.ts"

const message = (...lines: string[]) => Buffer.from(lines.join("\r\n"), "latin1")
const from = "From: Ada <ada@example.com>"
const multipart = (type: string, ...parts: string[][]) =>
  message(
    from,
    `Content-Type: multipart/${type}; boundary="a b"`,
    "",
    "Before the first part",
    ...parts.flatMap((part) => ["--a b", ...part]),
    "--a b--",
    "After the last part",
  )
const nested = (depth: number): string[] =>
  depth === 0
    ? ["", "The innermost"]
    : [
        `Content-Type: multipart/mixed; boundary=n${depth}`,
        "",
        `--n${depth}`,
        ...nested(depth - 1),
        `--n${depth}--`,
      ]

/** Messages as programs write them, by what is odd about them. */
export const ODD_MESSAGES: Record<string, Buffer> = {
  "nothing at all": message(""),
  "no header": message("", "Hi"),
  "a header alone": message(from, "Subject: Nothing"),
  "bare line feeds": Buffer.from(`${from}\nSubject: Lines\n\nHi\nthere\n`),
  "an empty line end": Buffer.from(`${from}\r\nSubject: Mixed\n\r\nHi\rthere`),
  "the line of a mailbox": message("From ada@example.com Fri Jan  1", from, "", "Hi"),
  "bytes of no charset": message(from, "Subject: Gr\xfc\xdfe", "", "\x00\xff\xfe\x80"),
  "a charset that nobody knows": message(from, "Content-Type: text/plain; charset=x-odd", "", "Hi"),
  "words in pieces": message(
    from,
    "Subject: =?utf-8?B?R3LD?= =?utf-8?B?vMOfZQ==?= =?x?Q?=FF?=",
    "",
    "Hi",
  ),
  "two texts": multipart("alternative", ["", "Plain"], ["Content-Type: text/html", "", "<p>Html"]),
  "files in all encodings": multipart(
    "mixed",
    ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit", "", "H\xc3\xa4"],
    [
      "Content-Type: image/png; name*0*=utf-8''b%C3%A4; name*1*=r.png",
      "Content-Transfer-Encoding: base64",
      "",
      "aGFs",
      "bG8=",
    ],
    [
      'Content-Disposition: attachment; filename="=?utf-8?Q?=C3=A4.csv?="',
      "Content-Type: text/csv",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "a=2C=\r\nb",
    ],
  ),
  "a part that never ends": message(
    from,
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "",
    "Hi",
  ),
  "a message in a message": multipart(
    "mixed",
    ["", "See below"],
    ["Content-Type: message/rfc822", "", from, "Subject: Inner", "", "Inner text"],
  ),
  "a bounce": message(
    "From: MAILER-DAEMON@example.com (Mail Delivery System)",
    "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
    "",
    "--b",
    "",
    "It failed.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; example.com",
    "",
    "Final-Recipient: rfc822; ada@example.com",
    "Action: failed",
    "Status: 5.1.1",
    "--b--",
  ),
  "a complaint": multipart(
    "report; report-type=feedback-report",
    ["", "Spam"],
    ["Content-Type: message/feedback-report", "", "Feedback-Type: abuse", "Version: 1"],
  ),
  signatures: Buffer.from(`${RFC_8463.signatures.join("")}${RFC_8463.header}\r\n${RFC_8463.body}`),
  "the deepest structure": message(from, ...nested(19)),
  "too deep a structure": message(from, ...nested(30)),
}

/** Texts that mean something to a reader of mail. */
const PIECES = [
  ...["\r\n", "\n", "\r", "\0", ":", ";", '"', "\\", "(", ")", "<", ">", "@", "--", "--b", "%ff"],
  ...["=?utf-8?B?", "?=", "=?x?Q?=00=FF?=", "*0*=", "\xff\xfe", "charset=utf-16le", 'boundary=""'],
  "Content-Type: multipart/mixed; boundary=b\r\n",
  "Content-Type: message/rfc822\r\n\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=a; h=from; bh=; b=\r\n",
  "References: <a@b> <c@d>\r\n",
].map((text) => Buffer.from(text, "latin1"))

/** One of the messages with some changes. `random` draws a whole number below its argument. */
export function mutated(random: (below: number) => number): Buffer {
  const all = Object.values(ODD_MESSAGES)
  let bytes = Buffer.from(all[random(all.length)] as Buffer)
  for (let changes = 1 + random(8); changes > 0; changes--) {
    const at = random(bytes.length + 1)
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
    const piece = PIECES[random(PIECES.length)] as Buffer
    const copied = bytes.subarray(random(bytes.length + 1)).subarray(0, random(300))
    const changed = [
      [before, piece, after],
      [before, after.subarray(random(100))],
      [before, copied, after],
      [before, Buffer.from([random(256)]), after.subarray(1)],
    ]
    bytes = Buffer.concat(changed[random(changed.length)] as Buffer[])
  }
  return bytes
}
