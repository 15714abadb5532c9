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
  "a file in base64": () =>
    filled(
      `${"YWJj".repeat(19)}\r\n`,
      "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64",
    ),
  "text in UTF-16": () => filled("a\0", "Content-Type: text/plain; charset=utf-16le"),
  header: () => Buffer.alloc(SIZE, "a: b\r\n"),
  parts: () => filled("\r\n--a\r\n", MIXED),
  "parts with long headers": () => filled(`\r\n--a\r\n${"b:c\r\n".repeat(990)}`, MIXED, 4 * MIB),
  "lines that look like boundaries": () => filled("\r\n--zqqq", NESTED),
  "a report": () => filled("a: b\r\n\r\n", REPORT),
}

const cpuSince = (start: NodeJS.CpuUsage) => process.cpuUsage(start).user

/** The most CPU time that the work takes until other calls have their turn. */
async function longestStep(work: () => Promise<unknown>): Promise<number> {
  const { setTimeout } = globalThis
  let longest = 0
  let start = process.cpuUsage()
  const endStep = () => {
    longest = Math.max(longest, cpuSince(start))
  }
  globalThis.setTimeout = ((next: () => void, ms: number) => {
    endStep()
    return setTimeout(() => {
      start = process.cpuUsage()
      next()
    }, ms)
  }) as typeof setTimeout
  await work()
  endStep()
  globalThis.setTimeout = setTimeout
  return longest
}

/** What this machine takes to look at each byte of a message. */
function readEachByte(bytes: Buffer): number {
  const start = process.cpuUsage()
  let lines = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 10) lines++
  return lines > 0 ? cpuSince(start) : Number.NaN
}

/** As a program: the most memory that a message and its reading have taken, in bytes, and its longest step. */
if (process.argv[1]?.endsWith("read-largest.ts")) {
  await parseMessage(Buffer.from("From: a@b.c\r\n\r\na"))
  const before = process.resourceUsage().maxRSS
  const bytes = FORMS[process.argv[2] as keyof typeof FORMS]()
  const read = async () => {
    const message = await parseMessage(bytes)
    await readGroups(message, STATUS_TYPES)
    await verifyDkim(bytes, async () => ["v=DKIM1; p=YQ=="], new Date())
    await hashBody(bytes, "relaxed")
  }
  await read()
  const memory = (process.resourceUsage().maxRSS - before) * 1024
  const ratios: number[] = []
  const text = FORMS.text()
  // Other programs may disturb a try.
  for (let tries = 0; tries < 5; tries++)
    ratios.push((await longestStep(read)) / readEachByte(text))
  process.stdout.write(JSON.stringify({ memory, step: Math.min(...ratios) }))
}
