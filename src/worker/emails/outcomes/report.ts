import { derivedId } from "../../../lib/id.ts"
import { truncate } from "../../../lib/text.ts"
import { type EmailEventType, type EventData, MAX_REPORTED_LENGTH } from "../contract.ts"
import type { EmailRef } from "../messages.ts"

export interface EmailReport extends EmailRef {
  /** `evt_`; the same occurrence always has the same id. */
  id: string
  type: EmailEventType
  occurredAt: number
  data: EventData
  /** The attempt that ended the email: the report is void once a later attempt has begun. */
  attempt?: number
  /** The report is void once a consumer has claimed the email. */
  unlessClaimed?: true
  /** The email is known to be of no campaign and no sequence, so nothing is counted for them. */
  isTransactional?: true
  /** The provider's own id of the message, with `sent`. */
  providerMessageId?: string
}

/** A report whose id is derived from its content. `detail` separates reports of the same type. */
export const reportOf = (
  ref: EmailRef,
  type: EmailEventType,
  occurredAt: number,
  data: EventData = {},
  detail = "",
): EmailReport => ({
  teamId: ref.teamId,
  emailId: ref.emailId,
  ...(ref.database !== undefined && { database: ref.database }),
  id: derivedId("event", occurredAt, `${ref.emailId} ${type} ${detail}`),
  type,
  occurredAt,
  data: bounded(data),
})

const MAX_ADDRESS_LENGTH = 320

/** Reported texts may have any length. A link is our own, and is never cut. */
const bounded = ({ url, recipients, ...texts }: EventData): EventData => ({
  ...(Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text && truncate(text, MAX_REPORTED_LENGTH),
    ]),
  ) as EventData),
  ...(url !== undefined && { url }),
  ...(recipients && { recipients: recipients.map((one) => truncate(one, MAX_ADDRESS_LENGTH)) }),
})
