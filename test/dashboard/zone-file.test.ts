import { expect, it } from "vitest"
import { recordLines, zoneFile } from "../../src/dashboard/pages/domains/zone-file.ts"

const records = [
  { type: "CNAME", name: "a._domainkey.mail.test", value: "a.dkim.test", priority: null },
  { type: "MX", name: "bounce.mail.test", value: "feedback.test", priority: 10 },
  { type: "TXT", name: "_dmarc.mail.test", value: `v=DMARC1; p=none; rua="x"`, priority: null },
]

it("writes records as name servers import them", () => {
  expect(zoneFile(records)).toBe(
    [
      "a._domainkey.mail.test. 3600 IN CNAME a.dkim.test.",
      "bounce.mail.test. 3600 IN MX 10 feedback.test.",
      `_dmarc.mail.test. 3600 IN TXT "v=DMARC1; p=none; rua=\\"x\\""`,
      "",
    ].join("\n"),
  )
})

it("splits a text over 255 bytes, as a long DKIM key is", () => {
  const [line] = zoneFile([
    { type: "TXT", name: "k", value: "a".repeat(300), priority: null },
  ]).split("\n")
  expect(line).toBe(`k. 3600 IN TXT "${"a".repeat(255)}" "${"a".repeat(45)}"`)
})

it("copies a record a line", () => {
  expect(recordLines(records).split("\n")[1]).toBe("MX\tbounce.mail.test\t10\tfeedback.test")
})
