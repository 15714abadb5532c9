import { describe, expect, it } from "vitest"
import { codesIn, tokensIn } from "../../src/dashboard/pages/inbox/codes.ts"

describe("codes in a message", () => {
  it.each([
    ["Your code is 482913.", ["482913"]],
    ["Your code is 482 913, valid for 10 minutes", ["482 913"]],
    ["PIN: 7391", ["7391"]],
    ["Backup code QX7F-29KD or AB12CD34", ["QX7F-29KD", "AB12CD34"]],
    ["Use 12345678 (not 12345678)", ["12345678"]],
  ])("%s", (text, codes) => {
    expect(codesIn(text)).toEqual(codes)
  })

  it.each([
    "Total: € 1200 or 1200 € or $1200.50",
    "On 2026-11-22 at 14:02, in 2026",
    "Call +441234567890 or 123456789012",
    "See https://example.com/orders/123456?code=7777",
    "EDGEPOST IS HERE",
    "v1.2345.6789",
  ])("none: %s", (text) => {
    expect(codesIn(text)).toEqual([])
  })
})

describe("tokens in links", () => {
  it("are the values of parameters that are named so", () => {
    const links = [
      "https://example.com/sign-in?token=eyJhb.abc&next=%2Forders",
      "https://example.com/again?TOKEN=eyJhb.abc",
      "https://example.com/?utm_source=mail&page=12345",
      "not a link",
    ]
    expect(tokensIn(links)).toEqual([{ name: "TOKEN", value: "eyJhb.abc" }])
  })
})
