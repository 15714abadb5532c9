/**
 * Replaces the libraries for ASN.1 and X.509 of the passkeys' library. Passkeys are made without attestation, so that
 * browsers remove the certificates of devices. What is left to read is a signature: two integers.
 */
export const AsnParser = {
  parse(data: Uint8Array, type: unknown): { r: Uint8Array; s: Uint8Array } {
    if (type !== ECDSASigValue) return refuse()
    return readSignature(data)
  },
}

export class ECDSASigValue {}

/** DER: a sequence of two integers, which fills the data. X.690, 8.1.3 and 8.3. */
function readSignature(data: Uint8Array): { r: Uint8Array; s: Uint8Array } {
  const [sequence, end] = readValue(data, 0, 0x30)
  const [r, next] = readValue(sequence, 0, 0x02)
  const [s, last] = readValue(sequence, next, 0x02)
  if (end !== data.length || last !== sequence.length) return refuse()
  return { r, s }
}

function readValue(data: Uint8Array, at: number, tag: number): [value: Uint8Array, end: number] {
  // A signature of P-521 is longer than 127 bytes, so its length is in a byte of its own.
  const isLong = data[at + 1] === 0x81
  const start = at + (isLong ? 3 : 2)
  const end = start + (data[start - 1] ?? 0)
  const isShort = (data[at + 1] ?? 0xff) < 0x80
  if (data[at] !== tag || !(isShort || isLong) || end > data.length) return refuse()
  return [data.subarray(start, end), end]
}

function refuse(): never {
  throw new Error("No certificates are asked for")
}

class NoCertificate {
  constructor() {
    refuse()
  }
}

export const id_ce_basicConstraints = ""
export const id_ce_extKeyUsage = ""
export const id_ce_keyDescription = ""
export const id_ce_subjectAltName = ""
export const id_ecPublicKey = ""
export const id_rsaEncryption = ""
export const id_secp256r1 = ""
export const id_secp384r1 = ""
export {
  NoCertificate as AuthorityKeyIdentifierExtension,
  NoCertificate as BasicConstraints,
  NoCertificate as Certificate,
  NoCertificate as CRLDistributionPointsExtension,
  NoCertificate as ECParameters,
  NoCertificate as ExtendedKeyUsage,
  NoCertificate as KeyDescription,
  NoCertificate as OctetString,
  NoCertificate as RSAPublicKey,
  NoCertificate as SubjectAlternativeName,
  NoCertificate as SubjectKeyIdentifierExtension,
  NoCertificate as X509Certificate,
  NoCertificate as X509ChainBuilder,
  NoCertificate as X509Crl,
}
