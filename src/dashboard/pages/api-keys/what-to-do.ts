import type { ErrorCode } from "../../../worker/platform/http/errors.ts"

interface Remedy {
  what: string
  link?: readonly [to: string, label: string]
}

const REMEDIES: Partial<Record<ErrorCode, Remedy>> = {
  validation_error: {
    what: "Correct the field that the message names. The API reference lists what the call accepts.",
  },
  forbidden: {
    what: "Use a key with full access, or a key that may send from this domain.",
    link: ["/api-keys", "API keys"],
  },
  not_found: {
    what: "Check the path and the ID. IDs of other teams and of deleted records are not found either.",
  },
  method_not_allowed: { what: "Use one of the methods that the message names." },
  conflict: {
    what: "Read the record again: its state, or a name that is taken, forbids this call.",
  },
  idempotency_conflict: { what: "Use a new idempotency key for each new email." },
  payload_too_large: {
    what: "Send less at once, or link to large files instead of attaching them.",
  },
  domain_not_verified: {
    what: "Verify the domain of the sender, or send from a verified one.",
    link: ["/domains", "Domains"],
  },
  suppressed_recipient: {
    what: "See why the address is suppressed. Set onSuppressed to skip to send to the other recipients.",
    link: ["/suppressions", "Suppressions"],
  },
  rate_limited: { what: "Wait as long as the retry-after header says. The client library does." },
  not_configured: { what: "Ask your operator to set the credentials of the mail provider." },
}

export const remedyOf = (code: string): Remedy | undefined => REMEDIES[code as ErrorCode]
