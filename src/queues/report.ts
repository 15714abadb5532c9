import type { EmailEventType, EventData } from "../emails/contract.ts"
import { derivedId } from "../lib/id.ts"
import { truncate } from "../lib/text.ts"
import type { EmailRef } from "./messages.ts"

/** UTF-16 units that are kept of a text that somebody else reported. */
export const MAX_REPORTED_LENGTH = 1_000

/** Something that happened to an email. */
export interface EmailReport extends EmailRef {
  /** `evt_`; the same happening always has the same id. */
  id: string
  type: EmailEventType
  occurredAt: number
  data: EventData
  /** Of an attempt that ended the email: the event holds only while no later attempt has begun. */
  attempt?: number
  /** The provider's own id of the message, with `sent`. */
  providerMessageId?: string
}

/** An event whose id follows from what happened: `detail` tells two of one type apart. */
export const reportOf = (
  ref: EmailRef,
  type: EmailEventType,
  occurredAt: number,
  data: EventData = {},
  detail = "",
): EmailReport => ({
  teamId: ref.teamId,
  emailId: ref.emailId,
  id: derivedId("event", occurredAt, `${ref.emailId} ${type} ${detail}`),
  type,
  occurredAt,
  data: bounded(data),
})

const MAX_ADDRESS_LENGTH = 320

/** What others report may be of any length. A link is ours, and stays whole. */
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
