import { expect, it } from "vitest"
import { codecOf, DECODE } from "../../../../src/worker/emails/raw/transfer-encoding.ts"

const bytesOf = (text: string) => Buffer.from(text, "latin1")

it.each([
  ["a=3Db=3d", "a=b="],
  ["one=\r\ntwo", "onetwo"],
  ["=C3=A4", "\xc3\xa4"],
  ["=", "="],
  ["=4", "=4"],
  ["=4G = 41 ==41", "=4G = 41 =A"],
  ["=\n", "=\n"],
])("quoted-printable %j stands for %j", (text, expected) => {
  expect(codecOf("quoted-printable")?.decode(text)).toBe(expected)
  expect(DECODE.get("quoted-printable")?.(bytesOf(text))).toBe(expected.length)
})

it.each([
  "QUJDRA==",
  "QUJDRA",
  "QUI=\r\nQ0Q=",
  " Q U\r\nJ*D ",
  "-_+/",
  "QUJDR",
  "Q",
  "=QUJD",
  "",
  bytesOf("\0\x7f\x80\xff").toString("base64"),
])("base64 %j stands for the bytes that Node reads, also in place", (text) => {
  const expected = Buffer.from(text, "base64")
  const bytes = bytesOf(text)
  const decode = DECODE.get("base64")!
  expect(decode(bytes)).toBe(expected.length)
  expect(bytes.subarray(0, decode(bytes, bytes))).toEqual(expected)
})
