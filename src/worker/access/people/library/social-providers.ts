import * as z from "zod"
// biome-ignore lint/correctness/useImportExtensions: the file is JavaScript
import { github } from "../../../../../node_modules/@better-auth/core/dist/social-providers/github.mjs"
// biome-ignore lint/correctness/useImportExtensions: the file is JavaScript
import { google } from "../../../../../node_modules/@better-auth/core/dist/social-providers/google.mjs"

/** Replaces the sign-in library's long list of social providers. */
export const socialProviders = { github, google }
export const SocialProviderListEnum = z.string()
