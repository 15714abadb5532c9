import type * as z from "zod"
import { domainOf, parseMailbox } from "../../lib/address.ts"
import type { contact as contactShape } from "../contacts/shapes.ts"
import type { domain as domainShape } from "../domains/contract.ts"
import type { Settings } from "../platform/env.ts"

/** Records as JSON shows them. */
export type Wire<T extends z.ZodType> = z.input<T>

/** Resend has no names for the records of DMARC and of our own proof. */
const RECORD_NAMES = {
  DKIM: "DKIM",
  MAIL_FROM_MX: "SPF",
  MAIL_FROM_SPF: "SPF",
  DMARC: "DMARC",
  PROOF: "Proof",
  RECEIVING_MX: "Receiving",
} as const

export const toResendDomain = ({ records, ...domain }: Wire<typeof domainShape>) => ({
  id: domain.id,
  name: domain.name,
  status: domain.status,
  created_at: domain.createdAt,
  region: domain.region,
  records: records.map(({ kind, type, name, value, priority, ok }) => ({
    record: RECORD_NAMES[kind],
    name,
    type,
    ttl: "Auto",
    status: ok ? "verified" : domain.status === "failed" ? "failed" : "pending",
    value,
    ...(priority !== null && { priority }),
  })),
})

export const toResendContact = (contact: Wire<typeof contactShape>) => ({
  id: contact.id,
  email: contact.email,
  first_name: contact.firstName,
  last_name: contact.lastName,
  unsubscribed: !contact.subscribed,
  created_at: contact.createdAt,
})

/**
 * The Message-ID that an email left with, by the answer of its provider: Amazon SES answers the part before
 * the `@`. Before that, the one that the service makes.
 */
export function messageIdOf(
  { id, from }: { id: string; from: string },
  providerMessageId: string | null,
  { AWS_REGION }: Pick<Settings, "AWS_REGION">,
): string {
  if (providerMessageId === null) return `<${id}@${domainOf(parseMailbox(from)?.address ?? from)}>`
  if (providerMessageId.startsWith("<")) return providerMessageId
  if (providerMessageId.startsWith("cf:")) return `<${providerMessageId.slice(3)}>`
  return `<${providerMessageId}@${AWS_REGION === "us-east-1" ? "email" : AWS_REGION}.amazonses.com>`
}
