import type { SuppressionReason } from "../../../worker/suppressions/contract.ts"

export const CAUSES: Record<SuppressionReason, string> = {
  manual: "Added manually",
  unsubscribe: "Unsubscribed",
  bounce: "Bounced",
  complaint: "Marked as spam",
}

/** The consequences of a removal. */
export const CONSEQUENCES: Record<SuppressionReason, string> = {
  manual: "It can receive email again.",
  unsubscribe: "This person unsubscribed and can now receive email again.",
  bounce: "It can receive email again, until it bounces again.",
  complaint:
    "This person marked your email as spam. Another complaint hurts your sender reputation.",
}
