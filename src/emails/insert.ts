import { type SQL, sql } from "drizzle-orm"
import { insertInto } from "../db/columns.ts"
import { membersOf } from "../db/json-rows.ts"
import { e, emailEvents, emailRecipients, emails, type Recipient } from "./table.ts"

export type EmailValues = Parameters<typeof insertInto<typeof emails>>[1]

/** Inserts emails, a call's or a campaign's. */
export const insertEmails = (values: EmailValues, from: SQL, tables?: { tables: SQL }) =>
  insertInto(emails, values, from, tables)

/** The recipients of emails: `from` finds them as `e`. */
export const insertRecipientsOf = (from: SQL) =>
  insertInto(
    emailRecipients,
    { teamId: e.teamId, address: membersOf<Recipient>("r").address, emailId: e.id },
    sql`${from}, json_each(${e.recipients}) r`,
  )

/** Timeline entries of the events in the table expression `fresh`. */
export const insertEntries = (fresh: SQL) =>
  insertInto(
    emailEvents,
    {
      teamId: sql`team_id`,
      emailId: sql`email_id`,
      id: sql`id`,
      type: sql`type`,
      occurredAt: sql`occurred_at`,
      data: sql`data`,
    },
    sql`from fresh`,
    { tables: sql`with ${fresh}` },
  )
