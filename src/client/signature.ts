/** `t=` with an integer, then one to eight `v1=` digests, and nothing else. */
const HEADER = /^t=(0|[1-9][0-9]{0,11})((?:,v1=[0-9a-f]{64}){1,8})$/

interface Signature {
  /** Seconds since 1970. */
  time: number
  /** There are several while a secret is rotated. One of them has to match. */
  digests: string[]
}

/** Reads the header `svc-signature`. Null if it has another form than the specification's. */
export function readSignature(header: string | null): Signature | null {
  const [, time, fields] = HEADER.exec(header ?? "") ?? []
  if (time === undefined || fields === undefined) return null
  return { time: Number(time), digests: fields.split(",v1=").slice(1) }
}

/** Whether this secret made one of the digests, an HMAC-SHA256 over `<time>.<raw body>`. */
export async function signs(
  secret: string,
  { time, digests }: Signature,
  body: Uint8Array,
): Promise<boolean> {
  if (!secret) return false
  const text = new TextEncoder()
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, [
    "verify",
  ])
  const prefix = text.encode(`${time}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  // `verify` compares in constant time.
  const matches = await Promise.all(
    digests.map((hex) => crypto.subtle.verify("HMAC", key, fromHex(hex), signed)),
  )
  return matches.includes(true)
}

const fromHex = (hex: string) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
