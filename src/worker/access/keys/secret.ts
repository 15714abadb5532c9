import { randomBase64url, sha256Hex } from "../../../lib/crypto.ts"
import { DIRECTORY } from "../../platform/db/databases.ts"

const PREFIX = "svc_live_"
const SHOWN_CHARACTERS = 16
const NUMBER_DIGITS = 3

export const isSecret = (token: string) => /^svc_live_[A-Za-z0-9_-]{43}$/.test(token)

/** The last characters are counted up: to draw each try anew takes ten times as long. */
const COUNTED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/**
 * Tried until the first 12 bits of its hash are the number of the team's database, some 4,000 times:
 * so the Worker knows which database to ask.
 */
export function newSecret(database = DIRECTORY): string {
  for (;;) {
    const start = `${PREFIX}${randomBase64url(30)}`
    for (const first of COUNTED) {
      for (const second of COUNTED) {
        for (const third of COUNTED) {
          const secret = start + first + second + third
          if (databaseOfHash(sha256Hex(secret)) === database) return secret
        }
      }
    }
  }
}

/** The database that a hash names. Of an older key, or of a team that has moved, it is another one. */
export const databaseOfHash = (secretHash: string) =>
  Number.parseInt(secretHash.slice(0, NUMBER_DIGITS), 16)

/** The parts of a secret that the database stores. */
export const storedSecret = (secret: string) => ({
  secretHash: sha256Hex(secret),
  keyPrefix: secret.slice(0, SHOWN_CHARACTERS),
})
