import { type SQL, sql } from "drizzle-orm"
import { insertInto, type ValuesOf } from "../../platform/db/columns.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { e, emailRecipients, emails, type Recipient } from "../table.ts"

export const insertEmails = (values: ValuesOf<typeof emails>, from: SQL) =>
  insertInto(emails, values, from)

/** The recipients of emails: `from` finds them as `e`. */
export const insertRecipientsOf = (from: SQL) =>
  insertInto(
    emailRecipients,
    { teamId: e.teamId, address: jsonFields<Recipient>("r").address, emailId: e.id },
    sql`${from}, json_each(${e.recipients}) r`,
  )
