/**
 * Replaces the libraries of certificates that the passkeys bring. Passkeys are registered without
 * attestation, so no certificate is ever read. The signature of a passkey is read here.
 */
class Unavailable {
  constructor() {
    throw new Error("Passkeys are registered without certificates")
  }
}

export {
  Unavailable as AuthorityKeyIdentifierExtension,
  Unavailable as BasicConstraints,
  Unavailable as Certificate,
  Unavailable as CRLDistributionPointsExtension,
  Unavailable as ECParameters,
  Unavailable as ExtendedKeyUsage,
  Unavailable as id_ce_basicConstraints,
  Unavailable as id_ce_extKeyUsage,
  Unavailable as id_ce_keyDescription,
  Unavailable as id_ce_subjectAltName,
  Unavailable as id_ecPublicKey,
  Unavailable as id_rsaEncryption,
  Unavailable as id_secp256r1,
  Unavailable as id_secp384r1,
  Unavailable as KeyDescription,
  Unavailable as OctetString,
  Unavailable as RSAPublicKey,
  Unavailable as SubjectAlternativeName,
  Unavailable as SubjectKeyIdentifierExtension,
  Unavailable as X509Certificate,
  Unavailable as X509ChainBuilder,
  Unavailable as X509Crl,
}

export class ECDSASigValue {}

const SEQUENCE = 0x30
const INTEGER = 0x02

/** Reads one ASN.1 value: the signature of RFC 3279, section 2.2.3, two integers in a sequence. */
export const AsnParser = {
  parse(bytes: Uint8Array, type: unknown): { r: Uint8Array; s: Uint8Array } {
    if (type !== ECDSASigValue) new Unavailable()
    const [signature, afterSignature] = readValue(bytes, SEQUENCE)
    const [r, afterR] = readValue(signature, INTEGER)
    const [s, afterS] = readValue(afterR, INTEGER)
    if (afterS.length + afterSignature.length > 0) throw new Error("More than a signature")
    return { r, s }
  },
}

/** The content of a value in DER, and what follows the value. */
function readValue(bytes: Uint8Array, tag: number): [content: Uint8Array, rest: Uint8Array] {
  const [first, length = 0, longLength = 0] = bytes
  // A signature of P-521 needs two bytes for its length.
  const isLong = length === 0x81
  const start = isLong ? 3 : 2
  const end = start + (isLong ? longLength : length)
  if (first !== tag || length > 0x81 || end > bytes.length) throw new Error("Not a signature")
  return [bytes.subarray(start, end), bytes.subarray(end)]
}
