/** What is used of the sign-in library. A late import of its own modules would bundle them whole. */
export { passkey } from "@better-auth/passkey"
export { drizzleAdapter } from "better-auth/adapters/drizzle"
export { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto"
export { betterAuth } from "better-auth/minimal"
export { genericOAuth } from "better-auth/plugins/generic-oauth"
export { twoFactor } from "better-auth/plugins/two-factor"
