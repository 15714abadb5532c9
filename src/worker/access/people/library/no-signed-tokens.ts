/** Replaces the library of signed tokens: sessions are rows of the database. */
class Unavailable {
  static readonly code = "ERR_UNAVAILABLE"
  constructor() {
    throw new Error("The sign-in library signs and verifies no tokens")
  }
}

const unavailable = () => new Unavailable()

export const base64url = { encode: unavailable, decode: unavailable }
export const errors = {
  JWKSInvalid: Unavailable,
  JWKSMultipleMatchingKeys: Unavailable,
  JWKSTimeout: Unavailable,
}
export {
  Unavailable as EncryptJWT,
  Unavailable as JWTExpired,
  Unavailable as SignJWT,
  Unavailable as UnsecuredJWT,
  unavailable as calculateJwkThumbprint,
  unavailable as createLocalJWKSet,
  unavailable as createRemoteJWKSet,
  unavailable as customFetch,
  unavailable as decodeProtectedHeader,
  unavailable as importJWK,
  unavailable as importPKCS8,
  unavailable as jwtDecrypt,
  unavailable as jwtVerify,
}

/** Google sends its token directly to the Worker, over TLS, so the signature needs no check. */
export const decodeJwt = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))
