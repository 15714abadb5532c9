import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"
import { DAY_MS } from "../lib/time.ts"

/** Encoded object identifiers (RFC 5280, RFC 5758). */
const ECDSA_WITH_SHA256 = "2a8648ce3d040302"
const COMMON_NAME = "550403"
const SUBJECT_ALT_NAME = "551d11"

/** A new key and a self-signed certificate for a name and for this machine, as PEM. */
export function makeCertificate(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const issuer = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, name.slice(0, 64)))))
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(15)),
    algorithm,
    issuer,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + 365 * DAY_MS)),
    issuer,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(oid(SUBJECT_ALT_NAME), der(0x04, names(name))))),
  )
  const signature = sign("sha256", body, privateKey)
  const certificate = sequence(body, algorithm, der(0x03, [0], signature))
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: toPem("CERTIFICATE", certificate),
  }
}

const names = (name: string) =>
  sequence(
    ...[...new Set([name, "localhost"])].map((one) =>
      isIPv4(one) ? der(0x87, one.split(".").map(Number)) : der(0x82, one),
    ),
    der(0x87, [127, 0, 0, 1]),
    der(0x87, [...Array(15).fill(0), 1]),
  )

/** A value in DER (X.690): tag, length, content. */
function der(tag: number, ...content: (Uint8Array | string | number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as Uint8Array)))
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))

/** `YYMMDDHHMMSSZ` */
const time = (ms: number) =>
  der(0x17, `${new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14)}Z`)

const toPem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`
