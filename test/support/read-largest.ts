import { hashBody } from "../../src/lib/dkim/canonical.ts"
import { verifyDkim } from "../../src/lib/dkim/verify.ts"
import { parseMessage, STATUS_TYPES } from "../../src/worker/received/reading/parse.ts"
import { readGroups } from "../../src/worker/received/reading/report-groups.ts"

export const MIB = 1024 * 1024
const SIZE = 25 * MIB

const SIGNED =
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b.c; s=x; h=from; bh=YQ==; b=YQ=="

function filled(line: string, field = "Subject: Large", size = SIZE): Buffer {
  const bytes = Buffer.alloc(size, line)
  bytes.write(`From: a@b.c\r\n${SIGNED}\r\n${field}\r\n\r\n`)
  return bytes
}

const BOUNDARIES = Array.from({ length: 19 }, (_, level) => `${String.fromCharCode(71 + level)}qqq`)
const NESTED = BOUNDARIES.map(
  (boundary) => `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`,
).join("")
const MIXED = "Content-Type: multipart/mixed; boundary=a"
const REPORT =
  "Content-Type: multipart/report; report-type=delivery-status; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status"

/** Messages as `loadMessage` answers them. */
export const FORMS = {
  text: () => filled("Hello there, how are you today?\r\n"),
  "empty lines": () => filled("\r\n"),
  "line ends alone, each of which becomes two": () => filled("\r\n", undefined, 2 * SIZE),
  "quoted lines": () => filled("> \r\n"),
  html: () => filled("<p>Hello there</p>\r\n", "Content-Type: text/html"),
  "text in base64": () => filled(`${"YWJj".repeat(19)}\r\n`, "Content-Transfer-Encoding: base64"),
  "text in quoted-printable": () =>
    filled(`${"=C3=A4".repeat(12)}\r\n`, "Content-Transfer-Encoding: quoted-printable"),
  "text in UTF-16": () => filled("a\0", "Content-Type: text/plain; charset=utf-16le"),
  header: () => Buffer.alloc(SIZE, "a: b\r\n"),
  parts: () => filled("\r\n--a\r\n", MIXED),
  "parts with long headers": () => filled(`\r\n--a\r\n${"b:c\r\n".repeat(990)}`, MIXED, 4 * MIB),
  "lines that look like boundaries": () => filled("\r\n--zqqq", NESTED),
  "a report": () => filled("a: b\r\n\r\n", REPORT),
}

/** How often other calls have their turn meanwhile. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const { setTimeout } = globalThis
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    turns++
    return setTimeout(...args)
  }) as typeof setTimeout
  await work()
  globalThis.setTimeout = setTimeout
  return turns
}

/** As a program: the most memory that a message and its reading have taken, in bytes, and the turns of others. */
if (process.argv[1]?.endsWith("read-largest.ts")) {
  await parseMessage(Buffer.from("From: a@b.c\r\n\r\na"))
  const before = process.resourceUsage().maxRSS
  const bytes = FORMS[process.argv[2] as keyof typeof FORMS]()
  const parsing = await turnsOf(async () => {
    const message = await parseMessage(bytes)
    readGroups(message, STATUS_TYPES)
  })
  await verifyDkim(bytes, async () => ["v=DKIM1; p=YQ=="], new Date())
  const hashing = await turnsOf(() => hashBody(bytes, "relaxed"))
  const memory = (process.resourceUsage().maxRSS - before) * 1024
  process.stdout.write(JSON.stringify({ memory, parsing, hashing, size: bytes.length }))
}
