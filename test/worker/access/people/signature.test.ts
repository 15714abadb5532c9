import { generateKeyPairSync, sign } from "node:crypto"
import { expect, it } from "vitest"
import {
  AsnParser,
  ECDSASigValue,
} from "../../../../src/worker/access/people/library/no-certificates.ts"

const DATA = Buffer.from("what a passkey signs")

const padded = (bytes: Uint8Array, length: number) => {
  const digits = Buffer.from(bytes)
    .toString("hex")
    .replace(/^(00)+/, "")
  return Buffer.from(digits.padStart(2 * length, "0"), "hex")
}

it.each([
  ["P-256", 32],
  ["P-384", 48],
  ["P-521", 66],
])("reads the two integers of a signature of %s", async (namedCurve, length) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve })
  const algorithm = { name: "ECDSA", namedCurve, hash: "SHA-256" }
  const spki = publicKey.export({ type: "spki", format: "der" })
  const key = await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"])
  for (let n = 0; n < 20; n++) {
    const { r, s } = AsnParser.parse(sign("sha256", DATA, privateKey), ECDSASigValue)
    const plain = Buffer.concat([padded(r, length), padded(s, length)])
    expect(await crypto.subtle.verify(algorithm, key, plain, DATA)).toBe(true)
  }
})

const signature = (...bytes: number[]) => new Uint8Array(bytes)

it.each([
  ["nothing", signature()],
  ["another type", signature(0x31, 6, 2, 1, 1, 2, 1, 1)],
  ["one integer", signature(0x30, 3, 2, 1, 1)],
  ["three integers", signature(0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1)],
  ["more after the sequence", signature(0x30, 6, 2, 1, 1, 2, 1, 1, 0)],
  ["an integer that is cut off", signature(0x30, 6, 2, 1, 1, 2, 9, 1)],
  ["a length of several bytes", signature(0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1)],
])("refuses %s", (_what, bytes) => {
  expect(() => AsnParser.parse(bytes, ECDSASigValue)).toThrow()
})

it("reads nothing of a certificate", () => {
  expect(() => AsnParser.parse(signature(0x30, 6, 2, 1, 1, 2, 1, 1), class {})).toThrow()
})
