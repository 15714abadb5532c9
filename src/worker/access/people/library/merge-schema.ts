/**
 * Replaces `better-auth/db`. The passkeys need only this function; the rest would load all of zod at
 * the start of the Worker.
 */
// biome-ignore lint/correctness/useImportExtensions: the file is JavaScript
export { mergeSchema } from "../../../../../node_modules/better-auth/dist/db/schema.mjs"
