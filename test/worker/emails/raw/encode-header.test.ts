import PostalMime, { decodeWords } from "postal-mime"
import { expect, it } from "vitest"
import { encodeHeader } from "../../../../src/worker/emails/raw/encode-header.ts"

const encode = async (text: string) => (await encodeHeader(Buffer.from(text))).toString("latin1")

it("leaves a header of ASCII as it is", async () => {
  const message = Buffer.from("Subject: a\r\n b\r\n\r\nGrüße\r\n")
  expect(await encodeHeader(message)).toBe(message)
})

it("keeps the body and the other fields", async () => {
  const message = "X_A : 1\r\n 2\r\nSubject: Grüße\r\n\r\nGrüße\r\n"
  const encoded = Buffer.from(await encode(message), "latin1").toString()
  expect(encoded).toBe(message.replace("Grüße", "=?UTF-8?Q?Gr=C3=BC=C3=9Fe?="))
})

it.each([
  ["Subject: Re: Grüße aus Köln, heute", "Re: Grüße aus Köln, heute"],
  [`Subject: ${"Größe ".repeat(40)}`, "Größe ".repeat(40).trim()],
  [`X-Long: ${"a ".repeat(50)}ü`, `${"a ".repeat(50)}ü`],
])("encodes words: %s", async (field, value) => {
  const encoded = await encode(`${field}\r\n\r\n`)
  expect(encoded).toMatch(/^[ -~\r\n]*$/)
  const lines = encoded.trimEnd().split("\r\n")
  expect(Math.max(...lines.slice(1).map((line) => line.length))).toBeLessThan(78)
  const unfolded = lines.join("").slice(field.indexOf(":") + 1)
  expect(decodeWords(unfolded).trim()).toBe(value)
})

it.each([
  [
    'To: "Jörg, A." <j@x.test>, Bob <b@x.test>',
    "=?UTF-8?Q?J=C3=B6rg=2C_A=2E?= <j@x.test>, Bob <b@x.test>",
  ],
  ["From: Jörg Groß <j@x.test>", "=?UTF-8?Q?J=C3=B6rg_Gro=C3=9F?= <j@x.test>"],
  ["Cc: Bob <b@bücher.test>", "Bob <b@xn--bcher-kva.test>"],
  [
    'List-Id: "Über uns, GmbH" <news.demo.test>',
    "=?UTF-8?Q?=C3=9Cber_uns=2C_GmbH?= <news.demo.test>",
  ],
  ["List-Id: Über <über.demo.test>", "=?UTF-8?Q?=C3=9Cber?= <xn--ber-goa.demo.test>"],
  [
    "List-Unsubscribe: <mailto:a@b.test>, <https://x.test/ü>",
    "<mailto:a@b.test>, <https://x.test/%C3%BC>",
  ],
  ["List-Post: <mailto:a@b.test> (Für alle)", "<mailto:a@b.test> (=?UTF-8?Q?F=C3=BCr_alle?=)"],
  ['Errors-To: "Jörg M." <j@x.test>', "=?UTF-8?Q?J=C3=B6rg_M=2E?= <j@x.test>"],
  ["References: <1@x.test>\r\n <ü@bücher.test>", "<1@x.test>\r\n <%C3%BC@xn--bcher-kva.test>"],
  ['Content-Type: text/plain; name="Ü.txt"', "text/plain; name*=utf-8''%C3%9C.txt"],
  [
    'Content-Disposition: attachment; filename="Ü (1)\'*.pdf"',
    "attachment; filename*=utf-8''%C3%9C%20%281%29%27%2A.pdf",
  ],
])("encodes by the grammar of the field: %s", async (field, value) => {
  expect((await encode(`${field}\r\n\r\n`)).trim()).toBe(`${field.split(":")[0]}: ${value}`)
})

it("cuts a long name of a file into lines", async () => {
  const filename = "報告書".repeat(40)
  const field = await encode(`Content-Disposition: attachment; filename="${filename}"\r\n\r\n`)
  for (const line of field.split("\r\n")) expect(line.length).toBeLessThan(998)
  const { attachments } = await PostalMime.parse(`Content-Type: text/plain\r\n${field}a`)
  expect(attachments[0]?.filename).toBe(filename)
})

it("encodes a value of blanks beyond ASCII", async () => {
  expect(await encode("X-A: \u2003\r\n\r\n")).toBe("X-A: =?UTF-8?Q?=E2=80=83?=\r\n\r\n")
})

it("reads brackets that never end once", async () => {
  const value = `ä ${"<".repeat(120_000)} ${"<https:".repeat(120_000)}`
  expect(await encode(`List-Id: ${value}\r\n\r\n`)).toBe(
    `List-Id: ${value.replace("ä", "=?UTF-8?Q?=C3=A4?=")}\r\n\r\n`,
  )
})

it("reads a quote that never ends once", async () => {
  const quotes = '\\"'.repeat(120_000)
  const encoded = await encode(`To: ä "${quotes} <a@b.c>\r\n\r\n`)
  expect(encoded).toBe(`To: =?UTF-8?Q?=C3=A4?= "${quotes} <a@b.c>\r\n\r\n`)
})
