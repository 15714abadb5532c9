import { expect, it } from "vitest"
import { DECODE, decoded, ENCODE } from "../../../../src/worker/emails/raw/transfer-encoding.ts"

const bytesOf = (text: string) => Buffer.from(text, "latin1")

it.each([
  ["a=3Db=3d", "a=b="],
  ["one=\r\ntwo", "onetwo"],
  ["=C3=A4", "\xc3\xa4"],
  ["=", "="],
  ["=4", "=4"],
  ["=4G = 41 ==41", "=4G = 41 =A"],
  ["=\n", "=\n"],
])("quoted-printable %j stands for %j", async (text, expected) => {
  const decode = DECODE.get("quoted-printable")!
  expect((await decoded(bytesOf(text), decode)).toString("latin1")).toBe(expected)
  expect(await decode(bytesOf(text))).toBe(expected.length)
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
])("base64 %j stands for the bytes that Node reads, also in place", async (text) => {
  const expected = Buffer.from(text, "base64")
  const bytes = bytesOf(text)
  const decode = DECODE.get("base64")!
  expect(await decode(bytes)).toBe(expected.length)
  expect(bytes.subarray(0, await decode(bytes, bytes))).toEqual(expected)
})

it.each([
  ["", ""],
  ["a=b", "a=3Db"],
  ["\xc3\xa4", "=C3=A4"],
  ["a \t", "a =09"],
  ["a \r\n\tb \r\n", "a=20\r\n\tb=20\r\n"],
  ["\0\x7f\r\r\n\n", "=00=7F=0D\r\n=0A"],
  ["a".repeat(75), "a".repeat(75)],
  ["a".repeat(76), `${"a".repeat(75)}=\r\na`],
  [`${"a".repeat(73)}=`, `${"a".repeat(73)}=\r\n=3D`],
  ["=".repeat(60), ["=3D".repeat(25), "=3D".repeat(25), "=3D".repeat(10)].join("=\r\n")],
])("%j is written as quoted-printable %j", (text, expected) => {
  expect(ENCODE.get("quoted-printable")?.(bytesOf(text)).toString("latin1")).toBe(expected)
})

it.each(["quoted-printable", "base64"])(
  "%s reads what it has written of any byte",
  async (encoding) => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7 + at / 256) & 255))
    const written = ENCODE.get(encoding)!(bytes)
    expect(
      Math.max(
        ...written
          .toString("latin1")
          .split("\r\n")
          .map(({ length }) => length),
      ),
    ).toBe(76)
    expect(await decoded(written, DECODE.get(encoding)!)).toEqual(bytes)
  },
)

it.each([
  ["quoted-printable", "=C3=A4", "\xc3\xa4"],
  ["base64", "QU JD", "ABC"],
])("reads a large text in %s whole, though in turns", async (encoding, text, bytes) => {
  const read = await decoded(bytesOf(text.repeat(1_000_000)), DECODE.get(encoding)!)
  expect(read.equals(bytesOf(bytes.repeat(1_000_000)))).toBe(true)
})
