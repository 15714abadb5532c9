/** What is used of the sign-in library: importing its modules late as a whole would keep all of them. */
export { passkey } from "@better-auth/passkey"
export { drizzleAdapter } from "better-auth/adapters/drizzle"
export { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto"
export { betterAuth } from "better-auth/minimal"
export { genericOAuth } from "better-auth/plugins/generic-oauth"
export { twoFactor } from "better-auth/plugins/two-factor"
