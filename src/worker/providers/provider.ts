import type { Mailbox } from "../../lib/address.ts"
import type { DnsRecord } from "../domains/contract.ts"
import type { EmailContent } from "../emails/content.ts"
import type { EventData } from "../emails/contract.ts"
import type { EmailRef } from "../emails/messages.ts"
import type { ProviderName } from "../platform/env.ts"

/** The most attempts to hand over an email. */
export const MAX_ATTEMPTS = 6

export interface OutgoingMessage extends EmailRef, EmailContent {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  /** Recipients that stay in the headers and get nothing. */
  skipped?: readonly string[]
  /** Where bounces come as mail, instead of to the sender. */
  returnPath?: string
  replyTo: Mailbox[]
  subject: string
  tags: Record<string, string>
  attempt: number
}

/**
 * A refusal is a normal result: a `retryable` one is tried again, any other fails the email. A fault
 * of the `provider` is no attempt of the email: all mail waits until the provider takes one again.
 */
export type SendResult =
  | {
      ok: true
      providerMessageId: string
      acceptedAt: number
      /** The refused recipients, where others were accepted: one bounce each. */
      bounces?: EventData[]
      /** What the provider did not take, for the timeline. */
      reason?: string
    }
  | {
      ok: false
      retryable: boolean
      reason: string
      /** Whose fault it is. By default, the message's. */
      fault?: "provider"
      /** No answer came: the provider may have accepted the message. */
      unanswered?: true
      /** All recipients were refused: one bounce each. */
      bounces?: EventData[]
    }

/** The message cannot be written, and the provider was not asked. */
export class UnwritableMessage extends Error {}

/** The state of a domain at a provider. `unknown`: the provider did not answer, so nothing changes. */
export type IdentityCheck =
  | { state: "verified" }
  | {
      state: "pending" | "failed" | "unknown"
      reason: string
      /** The provider does not have the domain: it was never added, or it was removed. */
      isMissing?: boolean
    }

/** The domains that a provider sends from. */
export interface Identities {
  region: string | null
  /** Adds a domain, or finds one that exists. Answers the records that prove the domain. */
  create(name: string): Promise<Omit<DnsRecord, "ok">[]>
  check(name: string): Promise<IdentityCheck>
  remove(name: string): Promise<void>
  /** The records are not looked up in DNS. */
  simulated?: true
}

export interface Provider {
  name: ProviderName
  /** The messages a second that the provider accepts, where it publishes a limit. */
  sendRate?(): Promise<number | null>
  /** Its rate counts recipients, not messages. */
  countsRecipients?: true
  /** The most bytes of html, text and attachments in a message. Absent if there is no limit. */
  maxBytes?: number
  /** A whole message may have text beyond ASCII in its header. Otherwise encoded words stand for it. */
  takesUtf8Headers?: true
  /** The messages to send at a time, where that is fewer than a Worker has connections. */
  sendsAtOnce?: number
  /** Hands over a message. What happens to it afterwards arrives as an outcome. */
  send(message: OutgoingMessage): Promise<SendResult>
  /** Called after each record: outcomes of the accepted messages may be reported from now on. */
  recorded?(): Promise<void>
  /** Called after the last record. */
  close?(): Promise<void>
  /**
   * How long to wait after a lost answer before sending again: the provider's own events may still
   * report the message. Absent where sending twice is harmless, or where there are no events.
   */
  settleMs?: number
  /** Set if the provider does not accept campaigns: the reason. */
  refusesBulk?: string
  /** Absent if the provider accepts any domain: then a TXT record of ours proves the domain. */
  identities?: Identities
  /** Called once a minute. */
  sweep?(): Promise<void>
}

const KINDS = ["to", "cc", "bcc"] as const

/** All who get the message, each once. */
export const envelopeRecipients = (message: OutgoingMessage): string[] =>
  KINDS.flatMap((as) => mailed(message, as)).map(({ address }) => address)

/** The recipients of one kind who get the message: an address that stands twice, at its first place. */
export function mailed(message: OutgoingMessage, as: (typeof KINDS)[number]): Mailbox[] {
  const known = new Set(message.skipped)
  for (const kind of KINDS.slice(0, KINDS.indexOf(as)))
    for (const { address } of message[kind]) known.add(address)
  return message[as].filter(({ address }) => !known.has(address) && known.add(address))
}

export const partBytes = ({ html, text, attachments }: EmailContent): number =>
  [html, text, ...attachments.map(({ content }) => content)].reduce(
    (sum, part) => sum + Buffer.byteLength(part ?? ""),
    0,
  )
