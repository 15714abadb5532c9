import type { Endpoint } from "../endpoint.ts"
import type { ErrorCode } from "../errors.ts"

/** When a call answers each code. An endpoint's `refuses` adds its own reasons. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  validation_error: "Malformed JSON; a body, query or cursor that does not fit.",
  unauthorized: "No key, or none that is live.",
  forbidden: "This key or role may not do that.",
  not_found: "An unknown path or id. Another team's id is an unknown one.",
  method_not_allowed: "The path has other methods: the header `allow` names them.",
  conflict: "The state forbids it, or a name, slug or address is taken.",
  idempotency_conflict: "The idempotency key stands for another input.",
  payload_too_large: "The body is over its cap, by the bytes that were read.",
  domain_not_verified: "No verified domain of the team matches `from`.",
  suppressed_recipient: "`details` is `[{email, reason}]`, one for each suppressed address.",
  rate_limited: "Too many calls: wait for as long as `retry-after` says.",
  internal_error: "Our fault. Name the `x-request-id` when you report it.",
  not_configured: "The mail provider's credentials are missing.",
  unavailable:
    "The database or another part is overloaded: wait for as long as `retry-after` says.",
}

/** The codes that an endpoint of this kind may answer. */
export const commonRefusals = ({ access, path, json, query }: Endpoint): ErrorCode[] => [
  ...(json || query ? ["validation_error" as const] : []),
  ...(access === "public" || access === "visitor" ? [] : ["unauthorized" as const]),
  ...(access === "full" || access === "session" ? ["forbidden" as const] : []),
  ...(path.includes(":") ? ["not_found" as const] : []),
  ...(json ? ["payload_too_large" as const] : []),
  ...(["public", "session", "visitor"].includes(access) ? [] : ["rate_limited" as const]),
]
