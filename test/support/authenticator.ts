import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto"

/** The origin of the tests' installation. */
export const ORIGIN = "http://localhost:8787"

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest()
const USER_PRESENT = 1
const USER_VERIFIED = 4
const HAS_CREDENTIAL = 64

/** CBOR, as far as a passkey's answer needs it. */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  return value < 256
    ? Buffer.from([(major << 5) | 24, value])
    : Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
const int = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (...entries: [Buffer, Buffer][]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])
const certificates = (one: Buffer): [Buffer, Buffer] => [
  text("x5c"),
  Buffer.concat([head(4, 1), bytes(one)]),
]

/** A device that makes and uses one passkey for a site. */
export function makeAuthenticator({
  origin,
  verifies = true,
  attestsItself = false,
  certificate,
}: {
  origin: string
  verifies?: boolean
  /** Browsers keep such an attestation, since it does not name the device. */
  attestsItself?: boolean
  /** Browsers remove it, since nobody asks for it. */
  certificate?: Buffer
}) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const id = randomBytes(16)
  const flags = USER_PRESENT | (verifies ? USER_VERIFIED : 0)
  const dataOf = (rpId: string, more: number, rest = Buffer.alloc(0)) =>
    Buffer.concat([sha256(rpId), Buffer.from([flags | more]), Buffer.alloc(4), rest])
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = (response: Record<string, unknown>) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response,
  })
  return {
    create({ challenge, rp }: { challenge: string; rp: { id: string } }) {
      const key = map(
        [int(1), int(2)],
        [int(3), int(-7)],
        [int(-1), int(1)],
        [int(-2), bytes(Buffer.from(x, "base64url"))],
        [int(-3), bytes(Buffer.from(y, "base64url"))],
      )
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const data = dataOf(rp.id, HAS_CREDENTIAL, attested)
      const client = clientData("webauthn.create", challenge)
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      const statement = map(
        [text("alg"), int(-7)],
        [text("sig"), bytes(signature)],
        ...(certificate ? [certificates(certificate)] : []),
      )
      const attestation = map(
        [text("fmt"), text(attestsItself ? "packed" : "none")],
        [text("attStmt"), attestsItself ? statement : map()],
        [text("authData"), bytes(data)],
      )
      return credential({
        clientDataJSON: client.toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      })
    },
    get({ challenge, rpId }: { challenge: string; rpId: string }) {
      const data = dataOf(rpId, 0)
      const client = clientData("webauthn.get", challenge)
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      return credential({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
      })
    },
  }
}
