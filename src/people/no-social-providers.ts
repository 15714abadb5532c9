import * as z from "zod"

/** Replaces the sign-in library's social providers: people sign in by password only. */
export const socialProviders = {}
export const SocialProviderListEnum = z.string()
