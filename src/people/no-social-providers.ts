import * as z from "zod"

/** Stands in for the sign-in library's social providers: sign-in is by password alone. */
export const socialProviders = {}
export const SocialProviderListEnum = z.string()
