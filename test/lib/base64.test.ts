import { describe, expect, it } from "vitest"
import { toBase64 } from "../../src/lib/base64.ts"

const bytes = Buffer.from("fb ff bf 00 ff fe 3e 3f".replaceAll(" ", ""), "hex")

describe("base64", () => {
  it.each([8, 7, 6])("of %i bytes is read in every spelling as one", (length) => {
    const some = bytes.subarray(0, length)
    const standard = some.toString("base64")
    const lines = standard.replace(/(.{4})/g, "$1\n")
    const spellings = [
      standard,
      standard.replaceAll("=", ""),
      some.toString("base64url"),
      standard.replaceAll("+", "-").replaceAll("/", "_"),
      lines,
      lines.replaceAll("\n", "\r\n"),
      `${standard}\n`,
    ]
    expect(spellings.map(toBase64)).toEqual(spellings.map(() => standard))
  })

  it.each([
    "",
    "\n",
    "=",
    "==",
    "=\n=",
    "a",
    "aGkaG",
    "aGk==",
    "aG=",
    "a===",
    "aG===",
    "aG=k",
    "a+_k",
    "aG k",
    "aGk\t",
    "aGk=\f",
    "aGk=\u00a0",
    "\u1061Gk=",
    "aGk=aGk=",
    "é",
  ])("%j is none", (text) => expect(toBase64(text)).toBeNull())
})
