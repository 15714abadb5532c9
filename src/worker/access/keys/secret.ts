import { randomBase64url, sha256Hex } from "../../../lib/crypto.ts"

const PREFIX = "svc_live_"
const SHOWN_CHARACTERS = 16

export const isSecret = (token: string) => /^svc_live_[A-Za-z0-9_-]{43}$/.test(token)

export const newSecret = () => `${PREFIX}${randomBase64url(32)}`

/** The parts of a secret that the database stores. */
export const storedSecret = (secret: string) => ({
  secretHash: sha256Hex(secret),
  keyPrefix: secret.slice(0, SHOWN_CHARACTERS),
})
