import { type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit } from "../../platform/db/commit.ts"
import type { Submitted } from "../shapes.ts"
import { confirmations } from "./table.ts"

/** Days until an answer counts no longer. A contact that was made by the question goes then. */
const EXPIRES_AFTER_DAYS = 7

/** The reply is followed by the mail. Later, the sweep sends it. */
const SWEPT_AFTER_MS = 60_000

export interface Asking {
  contact: { teamId: string; bookId: string; id: string }
  at: number
  formId?: string
  wording?: string
  topicIds: readonly string[]
  submitted?: Submitted
  network?: string | null
  /** False where a form subscribes at once. */
  byMail: boolean
}

/** Keeps that a contact was asked, and sends the mail after the commit. */
export function keepConfirmation(work: Work, asking: Asking, condition: SQL) {
  const { contact, at, formId, wording, topicIds, submitted = {}, network, byMail } = asking
  const { teamId, bookId, id: contactId } = contact
  const ref = { teamId, bookId, contactId, id: newId("consent", at) }
  const insert = work.db.run(
    insertInto(
      confirmations,
      {
        ...ref,
        formId: formId ?? null,
        wording: wording ?? null,
        topicIds: JSON.stringify(topicIds),
        submitted: JSON.stringify(submitted),
        network: network ?? null,
        askedAt: at,
        mailDueAt: byMail ? at + SWEPT_AFTER_MS : null,
        expiresAt: byMail ? at + EXPIRES_AFTER_DAYS * DAY_MS : null,
      },
      sql`where ${condition}`,
    ),
  )
  return afterCommit(insert, async (then, { meta }) => {
    if (!byMail || meta.changes === 0) return
    const { sendConfirmation } = await import("./mail.ts")
    await sendConfirmation(then, ref)
  })
}

/** A condition: the contact was not asked within a day. */
export const isNotAskedLately = ({ contact, at }: Pick<Asking, "contact" | "at">): SQL =>
  sql`not exists (select 1 from ${confirmations} where ${confirmations.teamId} = ${contact.teamId}
    and ${confirmations.bookId} = ${contact.bookId} and ${confirmations.contactId} = ${contact.id}
    and ${wasByMail} and ${confirmations.askedAt} > ${at - DAY_MS})`

/** A condition: the person was asked, and not subscribed at once. */
export const wasByMail = sql`coalesce(${confirmations.expiresAt}, ${confirmations.confirmedAt}) is not null`
