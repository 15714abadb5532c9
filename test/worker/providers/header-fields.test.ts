import { decodeWords } from "postal-mime"
import { describe, expect, it } from "vitest"
import { writeFields } from "../../../src/worker/providers/header-fields.ts"

/** The value of one field, unfolded as RFC 5322 says. */
async function written(name: string, value: string): Promise<string> {
  const block = await writeFields("", { [name]: value })
  expect(block).toMatch(/^([!-~][ -~]*\r\n([ ]+[!-~][ -~]*\r\n)*)?$/)
  expect(Math.max(...block.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998)
  return block.replace(/\r\n(?= )/g, "").slice(`${name}: `.length, -"\r\n".length)
}

describe("a value of ASCII stands as it is", () => {
  it.each([
    ["List-Id", '"Our list, GmbH" <news.demo.test>'],
    ["List-Unsubscribe", '<https://demo.test/u?a="b">, <mailto:u@demo.test>'],
    ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
    ["List-Post", "NO (posting is not allowed)"],
    ["Disposition-Notification-To", '"App" <app@demo.test>'],
    ["Mail-Followup-To", '"Ann" <ann@demo.test>, Bob <bob@demo.test>'],
    ["In-Reply-To", 'Your message of Monday <"a b"@demo.test>'],
    ["References", "<a@b.c>,<d@e.f> (comment) <g@h.i>"],
    ["X-Data", '{"order":"1","note":"a  b"}'],
    ["X-Path", String.raw`C:\dir "x" <y>; a=b`],
    ["X-Encoded", "=?utf-8?Q?J=C3=B6rg?="],
    ["X-Long", "x".repeat(900)],
    ["X-Spaces", `a${" ".repeat(300)}b ${"word  ".repeat(80).trim()}`],
    ["References", Array.from({ length: 20 }, (_, i) => `<${i}-${"x".repeat(30)}@b.c>`).join(" ")],
  ])("%s: %s", async (name, value) => expect(await written(name, value)).toBe(value))
})

describe("words beyond ASCII are encoded, and what programs read stays", () => {
  it.each([
    ["List-Id", "Ünï <news.demo.test>", "Ünï <news.demo.test>"],
    ["List-Id", '"Müller, Jörg"<news.demo.test>', "Müller, Jörg <news.demo.test>"],
    ["List-Id", "Grüße <news.exämple.test>", "Grüße <news.xn--exmple-cua.test>"],
    ["Disposition-Notification-To", "Jörg <app@demo.test>", "Jörg <app@demo.test>"],
    ["Disposition-Notification-To", "app@exämple.test", "app@xn--exmple-cua.test"],
    [
      "Mail-Followup-To",
      '"Ann Ö" <ann@demo.test>, Bob B <bob@demo.test>, Zoë <z@exämple.test>',
      "Ann Ö <ann@demo.test>, Bob B <bob@demo.test>, Zoë <z@xn--exmple-cua.test>",
    ],
    ["List-Post", "NO (nur für Mitglieder)", "NO (nur für Mitglieder)"],
    [
      "List-Unsubscribe",
      "<https://exämple.test/ü?n=ö>, <mailto:u@demo.test?subject=Grüße>",
      "<https://xn--exmple-cua.test/%C3%BC?n=%C3%B6>, <mailto:u@demo.test?subject=Gr%C3%BC%C3%9Fe>",
    ],
    ["In-Reply-To", "Nachricht für Sie <a@demo.test>", "Nachricht für Sie <a@demo.test>"],
    ["References", "<ö@demo.test> <b@demo.test>", "<%C3%B6@demo.test> <b@demo.test>"],
    ["Keywords", "Grüße, plain, Café au lait", "Grüße, plain, Café au lait"],
    ["X-Data", '{"name": "Jörg", "order": "1"}', '{"name": "Jörg", "order": "1"}'],
    ["X-From", '"Ann" <ann@demo.test> für  Zoë Ö', '"Ann" <ann@demo.test> für  Zoë Ö'],
    ["X-Looks", "=?utf-8?Q?=41?= ü", "=?utf-8?Q?=41?= ü"],
    ["X-Japanese", "日本語 ".repeat(60).trim(), "日本語 ".repeat(60).trim()],
  ])("%s: %s", async (name, value, read) => {
    const line = await written(name, value)
    expect(decodeWords(line)).toBe(read)
    for (const reference of read.match(/<[ -~]*?>/g) ?? []) expect(line).toContain(reference)
  })

  it("leaves the words of ASCII beside them", async () => {
    expect(await written("X-Data", '{"name": "Jörg", "order": "1"}')).toMatch(
      /^\{"name": =\?\S+\?= "order": "1"\}$/,
    )
  })

  it("folds a URL that becomes longer than a line", async () => {
    const line = await written("List-Help", `<https://demo.test/${"ü".repeat(880)}>`)
    expect(line.replaceAll(" ", "")).toBe(`<https://demo.test/${"%C3%BC".repeat(880)}>`)
  })
})

it("half a character becomes a replacement", async () => {
  expect(decodeWords(await written("X-Half", "a \ud800 b"))).toBe("a \ufffd b")
  expect(await written("List-Help", "<https://demo.test/\ud800>")).toContain("/%EF%BF%BD>")
})

it("ids without their brackets get them", async () => {
  expect(await written("References", "a@b.c d@e.f")).toBe("<a@b.c> <d@e.f>")
  expect(await written("In-Reply-To", "a@b.c")).toBe("<a@b.c>")
})

it("a field ends with its own line", async () => {
  const block = await writeFields("a\r\nX-A: 1", { "X-B: 1\r\nX-C": "b\r\n\r\nc", "X-Empty": " " })
  expect(block).toBe("Subject: a X-A: 1\r\nX-B1X-C: b c\r\n")
})
