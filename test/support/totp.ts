import { createHmac } from "node:crypto"

const STEP_SECONDS = 30
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** What an authenticator app shows (RFC 6238). `steps` later: the next codes. */
export function totp(base32: string, steps = 0, now = Date.now()): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 1000 / STEP_SECONDS) + steps))
  const hash = createHmac("sha1", fromBase32(base32)).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, "0")
}

export function fromBase32(text: string): string {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"))
  const bytes = bits.join("").match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString()
}
