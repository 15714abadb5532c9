import type { Mailbox } from "../../lib/address.ts"
import { redactor } from "../../lib/redact.ts"
import type { EventData } from "../emails/contract.ts"
import type { EmailRow } from "../emails/table.ts"
import type { Settings } from "../platform/env.ts"
import { erasedForm } from "../suppressions/erased.ts"
import type { EmailEventData } from "../webhooks/payload.ts"

type Written = Pick<
  EmailRow,
  "sender" | "recipients" | "replyTo" | "subject" | "tags" | "lastError"
>

/** Functions that erase an address in the rows of a mail log. */
export function createEraser(settings: Settings, address: string) {
  const erased = erasedForm(settings, address)
  const redact = redactor(address, erased)
  const eraseOne = (one: string) => (one === address ? erased : one)

  /** The name beside the address is personal data too. */
  const eraseMailbox = <M extends Mailbox>({ name, ...mailbox }: M) =>
    ({
      ...mailbox,
      address: eraseOne(mailbox.address),
      ...(name && mailbox.address !== address && { name: redact(name) }),
    }) as M

  /** `subject` replaces a subject that was filled in from a contact. */
  const eraseEmail = (email: Written, subject = redact(email.subject)): Written => ({
    sender: eraseMailbox(email.sender),
    recipients: email.recipients.map(eraseMailbox),
    replyTo: email.replyTo.map(eraseMailbox),
    subject,
    tags: redact(email.tags),
    lastError: redact(email.lastError),
  })

  /** Words of a provider or a browser may name the person too, so they go with the address. */
  const eraseReport = (data: EventData): EventData => {
    const { recipients, diagnosticCode: _, userAgent: __, ip: ___, ...kept } = data
    return { ...redact(kept), ...(recipients && { recipients: recipients.map(eraseOne) }) }
  }

  const eraseEventData = ({ email, event }: EmailEventData, subject?: string): EmailEventData => ({
    email: { ...email, ...eraseEmail(email, subject) },
    event: { ...event, data: eraseReport(event.data) },
  })

  return { redact, eraseMailbox, eraseEmail, eraseReport, eraseEventData }
}

export type Eraser = ReturnType<typeof createEraser>
