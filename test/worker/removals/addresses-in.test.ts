import { describe, expect, it } from "vitest"
import { redactor } from "../../../src/lib/redact.ts"
import { addressesIn } from "../../../src/worker/removals/places.ts"

describe("an address that an erasure would replace is found", () => {
  it.each([
    ["ada+news@example.com", "Ada+News@EXAMPLE.com wrote"],
    ["ada+news@example.com", "<ada+news@example.com>, again."],
    ["ada+news@example.com", "at ada+news@example.com."],
    ["ada+news@example.com", "https://a.test/?e=ada+news@example.com&n=1"],
    ["ada+news@example.com", "https://a.test/?e=Ada%2bnews%40Example%2ecom#x"],
    ["ada+news@example.com", "https://a.test/%61da%2Bnews@example.com/x"],
    ["ada+news@example.com", "https://a.test/?to=%2Fu%3Fe%3Dada%252Bnews%2540example.com"],
    ["ada+news@example.com", "welcome-ada+news@example.com_2"],
    ["ada@example.com", "%25ada%40example.com"],
    ["dada@example.com", "%25dada@example.com"],
    ["bob@example.com", "ada@bob@example.com-2"],
    ["ada@xn--mnchen-3ya.de", "Ada@München.de"],
    ["ada@xn--mgba3gch31f060k.com", "ada@نامه\u200cای.com"],
    ["ada@xn--mnchen-3ya.de", "ada%40m%C3%BCnchen.de"],
  ])("%s in %s", (address, text) => {
    expect(redactor(address, "X")(text)).not.toBe(text)
    expect(addressesIn(text)).toContain(address)
  })

  it("however deep a short text is encoded, and a long one in the time of its length", () => {
    const encode = (text: string, times: number): string =>
      times === 0 ? text : encode(encodeURIComponent(text), times - 1)
    expect(addressesIn(encode("ada@example.com", 8))).toContain("ada@example.com")
    expect(addressesIn(`%${"25".repeat(20_000)}40`)).toEqual([])
    expect(addressesIn("@".repeat(20_000))).toEqual([])
    const dots = `${"a.".repeat(31)}a@${"b.".repeat(90)}de`
    expect(addressesIn(dots)).toHaveLength(160)
  })
})

it("a text without an address has none", () => {
  for (const text of ["", "Ada", "ada@localhost", "100 % @ home", "%40"]) {
    expect(addressesIn(text)).toEqual([])
  }
})
