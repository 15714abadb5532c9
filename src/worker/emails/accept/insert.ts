import { type SQL, sql } from "drizzle-orm"
import { insertInto } from "../../platform/db/columns.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { emailRecipients, emails, type Recipient } from "../table.ts"

/** The recipients of the emails that `from` finds. */
export const insertRecipientsOf = (from: SQL) =>
  insertInto(
    emailRecipients,
    { teamId: emails.teamId, address: jsonFields<Recipient>("r").address, emailId: emails.id },
    sql`${from}, json_each(${emails.recipients}) r`,
  )
