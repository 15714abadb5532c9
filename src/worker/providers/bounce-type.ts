import type { EventData } from "../emails/contract.ts"

/**
 * Of an SMTP reply or a status code (RFC 3463). Only a code that names the mailbox of the recipient
 * suppresses it, X.1.Z but those of the sender's address: the rest may be policy.
 */
export function bounceTypeOf(reply: string): NonNullable<EventData["bounceType"]> {
  if (reply.startsWith("4")) return "Transient"
  return /^(?:5\d\d[ -])?5\.1\.(?![78]\b)/.test(reply) ? "Permanent" : "Undetermined"
}
