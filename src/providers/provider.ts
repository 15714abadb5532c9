import type { DnsRecord } from "../domains/contract.ts"
import type { EmailContent } from "../emails/content.ts"
import type { EventData } from "../emails/contract.ts"
import type { ProviderName } from "../env.ts"
import type { Mailbox } from "../lib/address.ts"
import type { EmailRef } from "../queues/messages.ts"

/** How often an email is handed over at most. */
export const MAX_ATTEMPTS = 6

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
  | {
      ok: false
      retryable: boolean
      reason: string
      /** No answer came, so that the provider may have accepted it all the same. */
      unanswered?: true
      /** The recipients were refused, not the message: one bounce each, and nothing was sent. */
      bounces?: EventData[]
    }

/** What a provider says of a domain. `unknown`: it could not be asked, so nothing changes. */
export type IdentityCheck =
  | { state: "verified" }
  | { state: "pending" | "failed" | "unknown"; reason: string }

/** A provider's book of domains that it sends from. */
export interface Identities {
  region: string | null
  /** Enters a domain, also one that is in already; answers the records that prove it. */
  create(name: string): Promise<Omit<DnsRecord, "ok">[]>
  check(name: string): Promise<IdentityCheck>
  remove(name: string): Promise<void>
  /** Nothing is looked up in DNS: the records are as good as the check. */
  simulated?: true
}

export interface Provider {
  name: ProviderName
  /** Messages a second that it takes, where it says so. */
  sendRate?(): Promise<number | null>
  /** Bytes of html, text and attachments that it takes in a message, where it has such a limit. */
  maxBytes?: number
  /** How many messages it is handed at a time, where that is fewer than a Worker has connections. */
  sendsAtOnce?: number
  /** Hands a message over. Accepted means accepted: what becomes of it arrives as an outcome. */
  send(message: OutgoingMessage): Promise<SendResult>
  /** After each record: from now on the outcomes of what it took may be told. */
  recorded?(): Promise<void>
  /** After the last record. */
  close?(): Promise<void>
  /**
   * How long after a lost answer the provider's own events may still tell that it accepted the
   * message: until then it is not sent again. Absent where a repeat does no harm, or no event comes.
   */
  settleMs?: number
  /** Why it takes no campaigns, where it does not. */
  refusesBulk?: string
  /** Absent where any domain is taken: then a TXT record of ours proves it. */
  identities?: Identities
  /** Whatever the provider wants done once a minute. */
  sweep?(): Promise<void>
}

/** Everybody the envelope names, each once. */
export const envelopeRecipients = ({ to, cc, bcc }: OutgoingMessage): string[] => [
  ...new Set([...to, ...cc, ...bcc].map(({ address }) => address)),
]

/** The bytes of a message's html, text and attachments. */
export const partBytes = ({ html, text, attachments }: EmailContent): number =>
  [html, text, ...attachments.map(({ content }) => content)].reduce(
    (sum, part) => sum + Buffer.byteLength(part ?? ""),
    0,
  )
