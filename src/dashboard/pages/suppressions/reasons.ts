import type { SuppressionReason } from "../../../suppressions/contract.ts"

export const CAUSES: Record<SuppressionReason, string> = {
  manual: "Added by hand",
  unsubscribe: "Unsubscribed",
  bounce: "Bounced",
  complaint: "Marked as spam",
}

/** What follows from a removal. */
export const CONSEQUENCES: Record<SuppressionReason, string> = {
  manual: "Somebody of your team, or a program, added the address. Mail to it goes out again.",
  unsubscribe:
    "This person asked for no more mail. Mail to them goes out again, though they have not agreed to it.",
  bounce:
    "The receiver said that the address does not work. Mail to it goes out again; if it bounces again, the address is listed again. Many bounces harm all your mail.",
  complaint:
    "This person marked your mail as spam. Mail to them goes out again. Another complaint harms all your mail, so remove the address only if they asked for that.",
}
