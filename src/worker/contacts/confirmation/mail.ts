import { and, eq, gt, sql } from "drizzle-orm"
import { log } from "../../../lib/log.ts"
import { DAY_MS, HOUR_MS } from "../../../lib/time.ts"
import { ctxOfTeam } from "../../access/team-ctx.ts"
import { acceptEmails } from "../../emails/accept/accept.ts"
import { sendInput } from "../../emails/send-input.ts"
import { forms } from "../../forms/table.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { placeOf } from "../../platform/db/databases.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { teams } from "../../teams/table.ts"
import { confirmUrl } from "../links/recipient-link.ts"
import { contactBooks, contacts } from "../table.ts"
import { composeConfirmation } from "./compose.ts"
import { type ConfirmationRef, confirmationMails, confirmations, isConfirmation } from "./table.ts"

/** In the installation: whoever fills in forms for somebody else can send that person no more than this. */
const MAILS_A_DAY = 3

/** Accepts the mail that asks, once. It is an ordinary email of the team. */
export async function sendConfirmation(work: Work, ref: ConfirmationRef): Promise<void> {
  const [found] = await work.db
    .select({
      email: contacts.email,
      from: contactBooks.defaultFrom,
      name: teams.name,
      postalAddress: teams.postalAddress,
      brand: teams.brand,
      wording: confirmations.wording,
      mail: forms.confirmation,
    })
    .from(confirmations)
    .innerJoin(
      contacts,
      and(
        eq(contacts.teamId, confirmations.teamId),
        eq(contacts.bookId, confirmations.bookId),
        eq(contacts.id, confirmations.contactId),
      ),
    )
    .innerJoin(
      contactBooks,
      and(eq(contactBooks.teamId, confirmations.teamId), eq(contactBooks.id, confirmations.bookId)),
    )
    .innerJoin(teams, eq(teams.id, confirmations.teamId))
    .leftJoin(
      forms,
      and(eq(forms.teamId, confirmations.teamId), eq(forms.id, confirmations.formId)),
    )
    .where(
      and(
        isConfirmation(ref),
        sql`${confirmations.mailDueAt} is not null`,
        // Whoever has refused meanwhile is not asked.
        sql`(${contacts.subscribed} or ${contacts.confirmation} = 'pending')`,
      ),
    )
  if (!found?.from || !(await mayAsk(work, ref.id, found.email))) return finish(work, ref, null)
  const { email, from, ...composed } = found
  const { teamId, bookId, contactId, id } = ref
  const link = { teamId, bookId, contactId, id, email, ...placeOf(work.env) }
  const url = confirmUrl(work.settings, link)
  const input = sendInput.parse({
    from,
    to: email,
    ...composeConfirmation({ ...composed, email, url }),
    trackOpens: false,
    trackClicks: false,
    idempotencyKey: `confirmation:${ref.id}`,
  })
  const ctx = ctxOfTeam(work, ref.teamId)
  const accepted = await acceptEmails(ctx, [input])
  if (accepted.ok) return finish(work, ref, null)
  const { code } = accepted.refusals[0].error
  // A conflict: it was accepted before, and the form has changed since.
  if (code === "suppressed_recipient" || code === "idempotency_conflict") {
    return finish(work, ref, null)
  }
  log("error", { confirmation: ref.id, team: ref.teamId, reason: code })
  // The team may verify the domain of its sender meanwhile.
  await putOff(work, ref)
}

export const putOff = (work: Work, ref: ConfirmationRef) => finish(work, ref, work.now() + HOUR_MS)

const finish = async (work: Work, ref: ConfirmationRef, mailDueAt: number | null) => {
  await work.db.update(confirmations).set({ mailDueAt }).where(isConfirmation(ref))
}

/** Whether the address may get one more of these mails today, from whatever team. */
async function mayAsk({ directory, settings, now }: Work, id: string, email: string) {
  const addressHash = erasedForm(settings, email)
  const isLately = and(
    eq(confirmationMails.addressHash, addressHash),
    gt(confirmationMails.sentAt, now() - DAY_MS),
  )
  const { kept } = await namedBatch(directory, {
    taken: directory.run(
      insertInto(
        confirmationMails,
        { addressHash, confirmationId: id, sentAt: now() },
        sql`where (select count(*) from ${confirmationMails} where ${isLately}) < ${MAILS_A_DAY}
          on conflict do nothing`,
      ),
    ),
    kept: directory
      .select({ id: confirmationMails.confirmationId })
      .from(confirmationMails)
      .where(
        and(
          eq(confirmationMails.addressHash, addressHash),
          eq(confirmationMails.confirmationId, id),
        ),
      ),
  })
  return kept.length > 0
}
