import { expect, it } from "vitest"
import { readStructure } from "../../../../src/worker/emails/raw/structure.ts"

const bytesOf = (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"), "latin1")

/** Each part with its content, but for the parts that have parts. */
async function read(message: string) {
  const bytes = bytesOf(message)
  return (await readStructure(bytes)).map(({ type, start, end }) =>
    type.startsWith("multipart/") ? type : [type, bytes.toString("latin1", start, end)],
  )
}

it("finds the parts and their bytes", async () => {
  const message = `Content-Type: multipart/mixed; boundary="m"\n\nPreamble\n--m\n\none\n\n--m  \nContent-Type: Multipart/Alternative;\n boundary=a\n\n--a\nContent-Type: text/html; charset=x\n\n<p>\n--m--\n--a--\n--a\n--m--\n--m\nEpilogue`
  expect(await read(message)).toEqual([
    "multipart/mixed",
    ["text/plain", "one\r\n"],
    "multipart/alternative",
    ["text/html", "<p>"],
  ])
})

it.each([
  ["a part without content", "--m\nContent-Type: a/b\n--m--", [["a/b", ""]]],
  ["a part that is empty", "--m\n--m--", [["text/plain", ""]]],
  ["a part at the end", "--m\n\nHi", [["text/plain", "Hi"]]],
  ["a part without an empty line", "--m\nContent-Type: a/b", [["a/b", ""]]],
  ["an empty header", "--m\n\n\nHi\n--m--", [["text/plain", "\r\nHi"]]],
  [
    "a text that looks like a boundary",
    "--m\n\n--mm\n --m\n--m -\n--m--",
    [["text/plain", "--mm\r\n --m\r\n--m -"]],
  ],
  ["a line that is no header field", "--m\nHi\nContent-Type: a/b\n\nHo", [["a/b", "Ho"]]],
  ["an unknown boundary", "--x\n\nHi", []],
  ["blanks behind a boundary", "--m \t\n\nHi\n--m-- \nHo", [["text/plain", "Hi"]]],
  ["a boundary that is no last one", "--m\n\nHi\n--m --", [["text/plain", "Hi\r\n--m --"]]],
])("reads %s", async (_, body, parts) => {
  const message = `Content-Type: multipart/mixed; boundary=m\n\n${body}`
  expect(await read(message)).toEqual(["multipart/mixed", ...parts])
})

it.each([
  ["text", "text/plain"],
  ["", "text/plain"],
  ["multipart/mixed", "text/plain"],
  ["multipart/mixed; boundary=", "text/plain"],
  ["text/html; charset=x", "text/html"],
])("takes a text of the type '%s' for %s", async (type, shown) => {
  expect(await read(`Content-Type: ${type}\n\nHi`)).toEqual([[shown, "Hi"]])
})

it("joins the pieces of a boundary", async () => {
  const message =
    'Content-Type: multipart/mixed; boundary*0="m"; boundary*1=n\n\n--mn\n\nHi\n--mn--'
  expect(await read(message)).toEqual(["multipart/mixed", ["text/plain", "Hi"]])
})

it.each([
  ["text/html; name=Mail.html", "inline", false],
  ["text/html; name=Mail.html", "attachment", true],
])(
  "a lone text with a name is a file only if it is marked: %s, %s",
  async (type, marked, isFile) => {
    const part = `Content-Type: ${type}\nContent-Disposition: ${marked}\n\nHi`
    const message = `Content-Type: multipart/mixed; boundary=m\n\n--m\n${part}\n--m--`
    const [, found] = await readStructure(bytesOf(message))
    expect(found?.isFile).toBe(isFile)
  },
)

it("a boundary may end with two dashes, and with a blank that does not count", async () => {
  const message = 'Content-Type: multipart/mixed; boundary="m-- "\n\n--m--\n\nHi\n--m----\nHo'
  expect(await read(message)).toEqual(["multipart/mixed", ["text/plain", "Hi"]])
})

it("reads a forwarded message, and none that is encoded", async () => {
  const inner = "Content-Type: multipart/mixed; boundary=i\n\n--i\nContent-Type: a/b\n\nHi\n--i--"
  const of = (header: string) => readStructure(bytesOf(`${header}\n\n${inner}`))
  const found = (await of("Content-Type: message/rfc822")).map(({ type, isAttached }) => [
    type,
    isAttached,
  ])
  expect(found).toEqual([
    ["message/rfc822", false],
    ["multipart/mixed", true],
    ["a/b", true],
  ])
  expect(await of("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64")).toHaveLength(
    1,
  )
})

it("reads parts of a digest as messages", async () => {
  const message =
    "Content-Type: multipart/digest; boundary=m\n\n--m\n\nContent-Type: a/b\n\nHi\n--m--"
  expect(await read(message)).toEqual([
    "multipart/digest",
    ["message/rfc822", expect.any(String)],
    ["a/b", "Hi"],
  ])
})
