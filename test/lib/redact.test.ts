import { describe, expect, it } from "vitest"
import { redactor } from "../../src/lib/redact.ts"

const redact = redactor("ada+news@example.com", "X")

describe("an address is replaced wherever a text names it", () => {
  it.each([
    ["ada+news@example.com", "X"],
    ["Ada+News@EXAMPLE.com wrote", "X wrote"],
    ["<ada+news@example.com>, again ada+news@example.com.", "<X>, again X."],
    ["https://a.test/?e=ada+news@example.com&n=1", "https://a.test/?e=X&n=1"],
    ["https://a.test/?e=ada%2Bnews%40example.com", "https://a.test/?e=X"],
    ["https://a.test/?e=Ada%2bnews%40Example%2ecom#x", "https://a.test/?e=X#x"],
    ["https://a.test/%61da%2Bnews@example.com/x", "https://a.test/X/x"],
    [
      "https://a.test/?to=%2Fu%3Fe%3Dada%252Bnews%2540example.com",
      "https://a.test/?to=%2Fu%3Fe%3DX",
    ],
    ["welcome-ada+news@example.com_2", "welcome-X_2"],
    ["mailto:ada+news@example.com?subject=Hi", "mailto:X?subject=Hi"],
  ])("%s", (text, redacted) => expect(redact(text)).toBe(redacted))

  it("not where a letter or a digit makes it another's", () => {
    for (const other of [
      "nada+news@example.com",
      "ada+news@example.community",
      "ada@example.com",
      "%6Eada+news@example.com",
    ]) {
      expect(redact(other)).toBe(other)
    }
  })

  it("in its domain's own letters too", () => {
    const redact = redactor("ada@xn--mnchen-3ya.de", "X")
    for (const text of ["ada@xn--mnchen-3ya.de", "Ada@München.de", "ada%40m%C3%BCnchen.de"]) {
      expect(redact(text)).toBe("X")
    }
  })

  it("in every text of a value, whose other parts stay", () => {
    const value = { list: ["ada+news@example.com", 1, null], inner: { yes: true, text: "ada" } }
    expect(redact(value)).toEqual({ list: ["X", 1, null], inner: { yes: true, text: "ada" } })
  })
})
