/**
 * Replaces the ciphers of the sign-in library, which encrypt tokens of providers and states in
 * cookies. Edgepost keeps no tokens, and the states are in the database.
 */
function unavailable(): never {
  throw new Error("The sign-in library encrypts nothing")
}

export {
  unavailable as bytesToHex,
  unavailable as hexToBytes,
  unavailable as hkdf,
  unavailable as managedNonce,
  unavailable as sha256,
  unavailable as xchacha20poly1305,
}

export const utf8ToBytes = (text: string) => new TextEncoder().encode(text)
