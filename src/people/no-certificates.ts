/**
 * Replaces the X.509 library of the passkeys. Passkeys are registered without attestation, so no
 * certificate is ever read.
 */
class Unavailable {
  constructor() {
    throw new Error("Passkeys are registered without certificates")
  }
}

export {
  Unavailable as AuthorityKeyIdentifierExtension,
  Unavailable as CRLDistributionPointsExtension,
  Unavailable as SubjectKeyIdentifierExtension,
  Unavailable as X509Certificate,
  Unavailable as X509ChainBuilder,
  Unavailable as X509Crl,
}
