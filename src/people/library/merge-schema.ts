/**
 * Replaces `better-auth/db`, of which the passkeys need this one function. The rest would bring all
 * of zod into the start of the Worker.
 */
// biome-ignore lint/correctness/useImportExtensions: the file is JavaScript
export { mergeSchema } from "../../../node_modules/better-auth/dist/db/schema.mjs"
