import { randomBytes } from "node:crypto"

export const PREFIX = "whsec_"
const SECRET_BYTES = 33

/** Base64 without `+` and `/` reads the same in every base64 alphabet. */
export function newWebhookSecret(): string {
  for (;;) {
    const value = randomBytes(SECRET_BYTES).toString("base64")
    if (!/[+/]/.test(value)) return PREFIX + value
  }
}
