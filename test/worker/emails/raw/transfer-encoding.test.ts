import { expect, it } from "vitest"
import { codecOf, unquote } from "../../../../src/worker/emails/raw/transfer-encoding.ts"

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
  expect(unquote(Buffer.from(text, "latin1"))).toBe(expected.length)
})
