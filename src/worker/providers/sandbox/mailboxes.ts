import { domainOf } from "../../../lib/address.ts"
import type { EmailEventType, EventData } from "../../emails/contract.ts"

/** Each mailbox of this host simulates an outcome, as Amazon's mailbox simulator does. */
export const SIMULATOR_HOST = "simulator.amazonses.com"

/** What happens to a message at a recipient. */
type Outcome = { type: EmailEventType; data: Omit<EventData, "recipients"> }

interface SimulatedMailbox {
  /** Null: there is never an outcome. */
  outcomes: Outcome[] | null
  /** Why this attempt is refused; null if it is accepted. */
  fault?(attempt: number): { retryable: boolean; reason: string } | null
}

const delivered: Outcome = { type: "delivered", data: {} }

const hardBounce = (bounceSubType: string): Outcome => ({
  type: "bounced",
  data: {
    bounceType: "Permanent",
    bounceSubType,
    diagnosticCode: "smtp; 550 5.1.1 user unknown",
  },
})

const complaint = (complaintFeedbackType: string): Outcome => ({
  type: "complained",
  data: { complaintFeedbackType },
})

const DELIVERED: SimulatedMailbox = { outcomes: [delivered] }

export const MAILBOXES: Record<string, SimulatedMailbox> = {
  success: DELIVERED,
  ooto: DELIVERED,
  bounce: { outcomes: [hardBounce("General")] },
  suppressionlist: { outcomes: [hardBounce("OnAccountSuppressionList")] },
  softbounce: {
    outcomes: [
      {
        type: "bounced",
        data: {
          bounceType: "Transient",
          bounceSubType: "MailboxFull",
          diagnosticCode: "smtp; 452 4.2.2 mailbox full",
        },
      },
    ],
  },
  complaint: { outcomes: [delivered, complaint("abuse")] },
  notspam: { outcomes: [delivered, complaint("not-spam")] },
  delay: { outcomes: [{ type: "delayed", data: { reason: "MailboxFull" } }, delivered] },
  stuck: { outcomes: null },
  reject: {
    outcomes: null,
    fault: () => ({ retryable: false, reason: "The sandbox rejects this recipient." }),
  },
  flaky: {
    outcomes: [delivered],
    fault: (attempt) =>
      attempt <= 2 ? { retryable: true, reason: "The sandbox is briefly unavailable." } : null,
  },
}

/** The local part at the simulator's host decides; a `+label` is ignored. */
export function simulatedMailbox(address: string): SimulatedMailbox {
  if (domainOf(address) !== SIMULATOR_HOST) return DELIVERED
  const local = address.slice(0, address.lastIndexOf("@")).split("+")[0] ?? ""
  return Object.hasOwn(MAILBOXES, local) ? (MAILBOXES[local] as SimulatedMailbox) : DELIVERED
}
