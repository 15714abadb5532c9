import type { EmailContent } from "../emails/content.ts"
import type { EventData } from "../emails/contract.ts"
import type { EmailRef } from "../emails/queue.ts"
import type { Work } from "../env.ts"
import type { Mailbox } from "../lib/address.ts"
import { sandbox } from "./sandbox/sandbox.ts"
import { smtp } from "./smtp/smtp.ts"

/** An email as it is handed to a provider. */
export interface OutgoingMessage extends EmailRef, EmailContent {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  replyTo: Mailbox[]
  subject: string
  tags: Record<string, string>
  /** 1 for the first try. */
  attempt: number
}

/** Refusals are normal: `retryable` ones are tried again, the others fail the email at once. */
export type SendResult =
  | {
      ok: true
      providerMessageId: string
      acceptedAt: number
      /** Recipients that were refused while others were accepted: one bounce each. */
      bounces?: EventData[]
    }
  | { ok: false; retryable: boolean; reason: string }

export interface Provider {
  name: Work["settings"]["PROVIDER"]
  /** How many messages it is handed at a time, where that is fewer than a Worker has connections. */
  sendsAtOnce?: number
  /** Hands a message over. Accepted means accepted: what becomes of it arrives as an outcome. */
  send(message: OutgoingMessage): Promise<SendResult>
  /** After the last message of a batch. */
  close?(): Promise<void>
  /** Whatever the provider wants done once a minute. */
  sweep?(): Promise<void>
}

const PROVIDERS: Record<Work["settings"]["PROVIDER"], (work: Work) => Provider> = {
  sandbox,
  smtp,
}

export const openProvider = (work: Work): Provider => PROVIDERS[work.settings.PROVIDER](work)

/** Everybody the envelope names, each once. */
export const envelopeRecipients = ({ to, cc, bcc }: OutgoingMessage): string[] => [
  ...new Set([...to, ...cc, ...bcc].map(({ address }) => address)),
]
