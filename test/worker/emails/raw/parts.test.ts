import { expect, it } from "vitest"
import { readParts } from "../../../../src/worker/emails/raw/parts.ts"

const withImage = (html: string, id: string) =>
  Buffer.from(
    [
      "Content-Type: multipart/related; boundary=b",
      `--b\r\nContent-Type: text/html\r\n\r\n${html}`,
      `--b\r\nContent-Type: image/png\r\nContent-ID: <${id}>\r\n\r\nx`,
      "--b--",
    ].join("\r\n\r\n"),
  )

it("a file that the html shows gets an id that a send takes", async () => {
  const html = '<img src="cid:a%2Fb"><img src="cid:c">'
  const { html: named, attachments } = await readParts(withImage(html, "a/b"))
  expect(named?.trim()).toBe('<img src="cid:part-1"><img src="cid:c">')
  expect(attachments).toMatchObject([{ contentId: "part-1" }])
})

it("the first 10,000 places that show a file are read", async () => {
  const { html } = await readParts(withImage("cid:%2f ".repeat(2_000_000), "/"))
  expect(html?.trim()).toBe(
    `${"cid:part-1 ".repeat(10_000)}${"cid:%2f ".repeat(2_000_000 - 10_000)}`.trim(),
  )
})
