import { it } from "vitest"
import { parseMessage } from "../../../src/worker/received/reading/parse.ts"
import { replyTextOf } from "../../../src/worker/received/reading/reply-text.ts"
import { expectCheap } from "../../support/cost.ts"

const SIZE = 25 * 1024 * 1024

function filled(line: string, ...head: string[]): Buffer {
  const bytes = Buffer.alloc(SIZE, line)
  bytes.write(`From: ada@example.com\r\n${head.map((one) => `${one}\r\n`).join("")}\r\n`)
  return bytes
}

const PDF = "Content-Type: application/pdf; name=a.pdf"
const BASE64 = "Content-Transfer-Encoding: base64"
const QUOTED = "Content-Transfer-Encoding: quoted-printable"

it.each([
  ["base64", filled(`${"YWJj".repeat(19)}\r\n`, PDF, BASE64)],
  ["quoted-printable", filled(`${"=3D".repeat(25)}=\r\n`, PDF, QUOTED)],
  ["text", filled("Hello there, how are you today?\r\n")],
  ["text in quoted-printable", filled(`${"=C3=A4".repeat(12)}\r\n`, QUOTED)],
  ["empty lines", filled("\r\n")],
  ["html", filled("<p>Hello there</p>\r\n", "Content-Type: text/html")],
])("a message of 25 MiB of %s costs little to read", async (_, bytes) => {
  await expectCheap(() => parseMessage(bytes))
})

it.each([
  ...["\n", "on a wrote:\n> q\ntext\n", "> quoted\n", "on a\n", "-- \u200b\n"],
  ...["---\n\n", "10:00:\n\n", "A: <a@b>\n", `${"<a@".repeat(90)}:\n`],
])("a long reply of %j costs little to read", async (line) => {
  const text = line.repeat(2 ** 20 / line.length)
  await expectCheap(() => replyTextOf(text))
})
