import { verifyDkim } from "../../src/lib/dkim/verify.ts"
import { parseMessage } from "../../src/worker/received/reading/parse.ts"

export const MIB = 1024 * 1024
const SIZE = 25 * MIB

const SIGNED =
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b.c; s=x; h=from; bh=YQ==; b=YQ=="

function filled(line: string, field = "Subject: Large", size = SIZE): Buffer {
  const bytes = Buffer.alloc(size, line)
  bytes.write(`From: a@b.c\r\n${SIGNED}\r\n${field}\r\n\r\n`)
  return bytes
}

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
  parts: () => filled("\r\n--a\r\n", "Content-Type: multipart/mixed; boundary=a"),
}

/** As a program: the most memory that the message and its reading have taken, in bytes. */
if (process.argv[1]?.endsWith("read-largest.ts")) {
  await parseMessage(Buffer.from("From: a@b.c\r\n\r\na"))
  const before = process.resourceUsage().maxRSS
  const bytes = FORMS[process.argv[2] as keyof typeof FORMS]()
  const message = await parseMessage(bytes)
  await verifyDkim(message.bytes, async () => ["v=DKIM1; p=YQ=="], new Date())
  process.stdout.write(String((process.resourceUsage().maxRSS - before) * 1024))
}
