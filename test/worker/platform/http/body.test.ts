import { describe, expect, it } from "vitest"
import { parseJson } from "../../../../src/worker/platform/http/input/body.ts"

const parse = (json: string) => parseJson(Buffer.from(json))

describe("a body of JSON", () => {
  it.each([
    ["brackets and commas", "[,{".repeat(200_000)],
    ["escaped quotes", '\\"[,'.repeat(200_000)],
    ["escaped backslashes", "\\\\[,".repeat(200_000)],
    ["escaped quotes far apart", `${"[".repeat(200)}\\"`.repeat(2_000)],
    ["escaped quotes behind backslashes far apart", `${"[".repeat(200)}\\\\\\"`.repeat(2_000)],
  ])("may have strings with any number of %s", (_what, text) => {
    const json = `{"text":"${text}","more":[1,2]}`
    expect(parse(json)).toEqual(JSON.parse(json))
  })

  it.each([
    ["numbers", "1"],
    ["strings", '"a"'],
    ["long strings with escapes", `"${"a".repeat(80)}\\"\\\\"`],
  ])("may not have more than 300,000 %s", (_what, value) => {
    expect(() => parse(`[${Array(300_001).fill(value)}]`)).toThrow("at most 300000 values")
  })

  it("may not have more than 100,000 members", () => {
    const member = '"name":"a:b"'
    expect(parse(`{${Array(100_000).fill(member)}}`)).toEqual({ name: "a:b" })
    expect(() => parse(`{${Array(100_001).fill(member)}}`)).toThrow("at most 100000 members")
  })

  it.each([10, 1024 * 1024])("of %d bytes must be UTF-8", (bytes) => {
    const body = Buffer.from(`"${"a".repeat(bytes)}\u00ff"`, "latin1")
    expect(() => parseJson(body)).toThrow("The body must be valid JSON in UTF-8")
  })
})
