import { formatMailbox } from "../../lib/address.ts"
import type { Email } from "./contract.ts"
import type { EmailRow, Recipient } from "./table.ts"

/** The columns that the public object needs, and the id that Resend's API shows. */
export const SHOWN_COLUMNS = [
  "id",
  "sender",
  "recipients",
  "replyTo",
  "subject",
  "status",
  "tags",
  "domainId",
  "campaignId",
  "sequenceStep",
  "templateId",
  "scheduledAt",
  "sentAt",
  "createdAt",
  "lastError",
  "providerMessageId",
] as const satisfies readonly (keyof EmailRow)[]
export type ShownEmail = Pick<EmailRow, (typeof SHOWN_COLUMNS)[number]>

/** Events of an earlier release lack the step. */
const ownerOf = ({ sequenceStep: step = null, campaignId }: ShownEmail) =>
  step === null
    ? { campaignId, sequenceId: null, runId: null }
    : { campaignId: null, sequenceId: campaignId, runId: step.runId }

export type EmailAndId = Email & Pick<ShownEmail, "providerMessageId">

export function toEmail(row: ShownEmail): EmailAndId {
  const named = (as: Recipient["as"]) =>
    row.recipients.filter((recipient) => recipient.as === as).map(formatMailbox)
  return {
    ...row,
    ...ownerOf(row),
    from: formatMailbox(row.sender),
    to: named("to"),
    cc: named("cc"),
    bcc: named("bcc"),
    replyTo: row.replyTo.map(formatMailbox),
  }
}
