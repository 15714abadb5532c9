export const FIELD_TYPES = ["text", "email", "select", "checkbox"] as const

/** The field with the address of the person. */
export const ADDRESS_FIELD = "email"

/** People do not see this field. Programs that fill in every field give themselves away. */
export const HONEYPOT = "your-website"

/** Where Cloudflare's widget puts its token. */
export const TURNSTILE_FIELD = "cf-turnstile-response"

export const RESERVED_NAMES: readonly string[] = [HONEYPOT, TURNSTILE_FIELD, "__proto__"]
