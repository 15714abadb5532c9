import { createHmac, timingSafeEqual } from "node:crypto"
import { signingKeys } from "./signing-keys.ts"

/**
 * A signed, unencrypted token that can stand in a URL: payload, dot, HMAC-SHA256. A token of one
 * purpose is none of another, and reading one needs no database.
 */
export function signToken(keys: string, purpose: string, payload: unknown): string {
  const body = Buffer.from(JSON.stringify(payload)).toString("base64url")
  return `${body}.${signatureOf(signingKeys(keys)[0], purpose, body)}`
}

/** The payload, or null when the token was not made by us for this purpose. */
export function readToken(keys: string, purpose: string, token: string): unknown {
  const [body = "", signature = "", ...more] = token.split(".")
  // as text, since base64 spells the same bytes in more than one way
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
