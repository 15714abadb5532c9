/** How far the signature's time may be from the receiver's clock. */
const TOLERANCE_SECONDS = 300

/** `t=` one canonical integer, then one to eight `v1=` digests, and nothing else. */
const HEADER = /^t=(0|[1-9][0-9]{0,11})((?:,v1=[0-9a-f]{64}){1,8})$/

export interface SignedBody {
  /** The body as it arrived: parsed and serialised again it does not match. */
  body: string
  /** The value of `svc-signature`. */
  signature: string | null
  /** The webhook's secret, `whsec_` included. */
  secret: string
  /** Milliseconds since 1970; the clock's time unless given. */
  now?: number
}

/** Whether a webhook's request comes from who knows its secret, within the last five minutes. */
export async function verifySignature({
  body,
  signature,
  secret,
  now = Date.now(),
}: SignedBody): Promise<boolean> {
  const [, time, fields] = HEADER.exec(signature ?? "") ?? []
  if (secret === "" || time === undefined || fields === undefined) return false
  if (Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS) return false
  const text = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, [
    "verify",
  ])
  const signed = text.encode(`${time}.${body}`)
  // `verify` compares in constant time.
  const matches = await Promise.all(
    fields
      .split(",v1=")
      .slice(1)
      .map((hex) => crypto.subtle.verify("HMAC", key, fromHex(hex), signed)),
  )
  return matches.includes(true)
}

const fromHex = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
