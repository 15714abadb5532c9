import { and, eq, getTableColumns, gt, inArray, sql } from "drizzle-orm"
import { DAY_MS } from "../../lib/time.ts"
import { wasByMail } from "../contacts/confirmation/ask.ts"
import { confirmations } from "../contacts/confirmation/table.ts"
import {
  contactBooks,
  contactColumns,
  contactRefusals,
  contacts,
  hasChoices,
} from "../contacts/table.ts"
import type { Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { suppressions } from "../suppressions/table.ts"
import { teams } from "../teams/table.ts"
import { topics } from "../topics/table.ts"
import { forms } from "./table.ts"

export type FormFacts = Awaited<ReturnType<typeof readFormFacts>>

/** All that a post of a form depends on, in one round trip. */
export async function readFormFacts(work: Work, formId: string, email: string) {
  const { db, settings, now } = work
  const isForm = eq(forms.id, formId)
  const addressHash = erasedForm(settings, email)
  const ofContact = and(eq(contacts.teamId, forms.teamId), eq(contacts.email, email))
  const { found, shown, theirs, suppressed, refused, choices, offered, asked } = await namedBatch(
    db,
    {
      found: selectForm(work, formId),
      shown: selectTeam(work, formId),
      theirs: db
        .select(contactColumns)
        .from(forms)
        .innerJoin(contacts, and(ofContact, eq(contacts.bookId, forms.bookId)))
        .where(isForm),
      suppressed: db
        .select({ email: suppressions.email })
        .from(forms)
        .innerJoin(
          suppressions,
          and(
            eq(suppressions.teamId, forms.teamId),
            inArray(suppressions.email, [email, addressHash]),
          ),
        )
        .where(isForm)
        .limit(1),
      refused: db
        .select({ bookId: contactRefusals.bookId })
        .from(forms)
        .innerJoin(
          contactRefusals,
          and(
            eq(contactRefusals.teamId, forms.teamId),
            eq(contactRefusals.bookId, forms.bookId),
            eq(contactRefusals.addressHash, addressHash),
          ),
        )
        .where(isForm),
      choices: db
        .select({ topics: contacts.topics })
        .from(forms)
        .innerJoin(contacts, and(ofContact, hasChoices))
        .where(isForm),
      offered: db
        .select({ id: topics.id, default: topics.default })
        .from(forms)
        .innerJoin(
          topics,
          and(
            eq(topics.teamId, forms.teamId),
            sql`${topics.id} in (select value from json_each(${forms.topicIds}))`,
          ),
        )
        .where(isForm),
      asked: db
        .select({ id: confirmations.id })
        .from(forms)
        .innerJoin(contacts, and(ofContact, eq(contacts.bookId, forms.bookId)))
        .innerJoin(
          confirmations,
          and(
            eq(confirmations.teamId, contacts.teamId),
            eq(confirmations.bookId, contacts.bookId),
            eq(confirmations.contactId, contacts.id),
            wasByMail,
            gt(confirmations.askedAt, now() - DAY_MS),
          ),
        )
        .where(isForm)
        .limit(1),
    },
  )
  return {
    form: found[0],
    sender: shown[0],
    contact: theirs[0],
    isSuppressed: suppressed.length > 0,
    hasRefused: refused.length > 0,
    choices: choices.map((one) => one.topics),
    topics: offered,
    wasAsked: asked.length > 0,
  }
}

/** A form whose book is not deleted. */
const selectForm = ({ db }: Work, formId: string) =>
  db
    .select({ ...getTableColumns(forms), defaultFrom: contactBooks.defaultFrom })
    .from(forms)
    .innerJoin(
      contactBooks,
      and(eq(contactBooks.teamId, forms.teamId), eq(contactBooks.id, forms.bookId)),
    )
    .where(eq(forms.id, formId))

/** The team that shows it. */
const selectTeam = ({ db }: Work, formId: string) =>
  db
    .select({ name: teams.name, postalAddress: teams.postalAddress, brand: teams.brand })
    .from(forms)
    .innerJoin(teams, eq(teams.id, forms.teamId))
    .where(eq(forms.id, formId))

/** What the page of a form shows. */
export async function readShownForm(work: Work, formId: string) {
  const { found, shown } = await namedBatch(work.db, {
    found: selectForm(work, formId),
    shown: selectTeam(work, formId),
  })
  return { form: found[0], sender: shown[0] }
}
