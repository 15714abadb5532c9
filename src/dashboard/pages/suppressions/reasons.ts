import type { SuppressionReason } from "../../../worker/suppressions/contract.ts"

export const CAUSES: Record<SuppressionReason, string> = {
  manual: "Added by hand",
  unsubscribe: "Unsubscribed",
  bounce: "Bounced",
  complaint: "Marked as spam",
}

/** The consequences of a removal. */
export const CONSEQUENCES: Record<SuppressionReason, string> = {
  manual: "Mail to it goes out again.",
  unsubscribe: "Mail goes out again to a person who asked for none.",
  bounce: "Mail to it goes out again. If it bounces again, it is listed again.",
  complaint:
    "Mail goes out again to a person who marked it as spam. Another complaint harms all your mail.",
}
