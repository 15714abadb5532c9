import { type SQL, sql } from "drizzle-orm"
import { columnsOf, insertInto } from "../db/columns.ts"
import { membersOf } from "../db/json-rows.ts"
import type { Fresh } from "../outcomes/record.ts"
import { e, emailEvents, emailRecipients, emails, type Recipient } from "./table.ts"

const f = columnsOf<Fresh>("fresh")

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
      teamId: f.team_id,
      emailId: f.email_id,
      id: f.id,
      type: f.type,
      occurredAt: f.occurred_at,
      data: f.data,
    },
    sql`from fresh`,
    { tables: sql`with ${fresh}` },
  )
