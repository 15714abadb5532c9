import { createHmac, timingSafeEqual } from "node:crypto"
import { signingKeys } from "./signing-keys.ts"

/**
 * A signed, unencrypted token for URLs: payload, dot, HMAC-SHA256. It is valid for one purpose
 * only, and reading it needs no database.
 */
export function signToken(keys: string, purpose: string, payload: unknown): string {
  const body = Buffer.from(JSON.stringify(payload)).toString("base64url")
  return `${body}.${signatureOf(signingKeys(keys)[0], purpose, body)}`
}

/** The payload; null if we did not sign the token for this purpose. */
export function readToken(keys: string, purpose: string, token: string): unknown {
  const [body = "", signature = "", ...more] = token.split(".")
  // Compared as text: base64 has several spellings of the same bytes.
  const given = Buffer.from(signature)
  const isOurs = signingKeys(keys).some((key) => {
    const expected = Buffer.from(signatureOf(key, purpose, body))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isOurs && more.length === 0
    ? JSON.parse(Buffer.from(body, "base64url").toString("utf8"))
    : null
}

const signatureOf = (key: string, purpose: string, body: string) =>
  createHmac("sha256", key).update(`${purpose}.${body}`).digest("base64url")

/** 128 bits: too many to guess, half as long as the whole HMAC. */
const MAC_BYTES = 16

/** A shorter signed token, without a dot: the first half of an HMAC-SHA256, then the payload. */
export function signBytes(keys: string, purpose: string, payload: Buffer): string {
  const mac = macOf(signingKeys(keys)[0], purpose, payload)
  return Buffer.concat([mac, payload]).toString("base64url")
}

/** The payload; null if we did not sign the token for this purpose. */
export function readBytes(keys: string, purpose: string, token: string): Buffer | null {
  const bytes = Buffer.from(token, "base64url")
  // Base64 has several spellings of the same bytes.
  if (bytes.length < MAC_BYTES || bytes.toString("base64url") !== token) return null
  const mac = bytes.subarray(0, MAC_BYTES)
  const payload = bytes.subarray(MAC_BYTES)
  const isOurs = signingKeys(keys).some((key) => timingSafeEqual(mac, macOf(key, purpose, payload)))
  return isOurs ? payload : null
}

const ADDRESS_MAC_BYTES = 14
const DIGITS = 32

/**
 * A signed token for the local part of an address, which has up to 64 characters, and which servers may
 * write in capitals. The payload has the same number of bytes for each token of a purpose.
 */
export function signForAddress(keys: string, purpose: string, payload: Buffer): string {
  const mac = macOf(signingKeys(keys)[0], purpose, payload).subarray(0, ADDRESS_MAC_BYTES)
  return BigInt(`0x01${Buffer.concat([mac, payload]).toString("hex")}`).toString(DIGITS)
}

/** The payload; null if we did not sign the token for this purpose. */
export function readFromAddress(keys: string, purpose: string, token: string): Buffer | null {
  const digits = [...token.toLowerCase()].map((digit) => Number.parseInt(digit, DIGITS))
  if (digits.length < 2 || digits.some(Number.isNaN)) return null
  const hex = digits.reduce((value, digit) => (value << 5n) | BigInt(digit), 0n).toString(16)
  const bytes = Buffer.from(`0${hex}`, "hex").subarray(1)
  const mac = bytes.subarray(0, ADDRESS_MAC_BYTES)
  const payload = bytes.subarray(ADDRESS_MAC_BYTES)
  const macs = signingKeys(keys).map((key) =>
    macOf(key, purpose, payload).subarray(0, ADDRESS_MAC_BYTES),
  )
  const isForged =
    mac.length !== ADDRESS_MAC_BYTES || !macs.some((one) => timingSafeEqual(mac, one))
  return isForged ? null : payload
}

/** The zero byte makes this signature different from those of `signToken`. */
const macOf = (key: string, purpose: string, payload: Buffer) =>
  createHmac("sha256", key).update(`${purpose}\0`).update(payload).digest().subarray(0, MAC_BYTES)
