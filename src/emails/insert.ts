import { type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { insertInto } from "../db/columns.ts"
import { membersOf } from "../db/json-rows.ts"
import { emailEvents, emailRecipients, emails, type Recipient } from "./table.ts"

const e = alias(emails, "e")

/** Inserts emails, a call's or a campaign's. */
export const insertEmails = (
  values: Parameters<typeof insertInto<typeof emails>>[1],
  from: SQL,
  tables?: { tables: SQL },
) => insertInto(emails, values, from, tables)

/** The recipients of emails: `from` finds them as `e`. */
export const insertRecipientsOf = (from: SQL) =>
  insertInto(
    emailRecipients,
    { teamId: e.teamId, address: membersOf<Recipient>("r").address, emailId: e.id },
    sql`${from}, json_each(${e.recipients}) r`,
  )

/** Timeline entries: `entries` selects `team_id, email_id, id, type, occurred_at, data`. */
export const insertEntries = (entries: SQL) => sql`
  insert into ${emailEvents} (team_id, email_id, id, type, occurred_at, data) ${entries}`
