import { sql } from "drizzle-orm"
import { emailEvents, emails } from "../table.ts"

/**
 * When a scheduled email was sent, or else ended: its days of retention count from then, since readers and
 * reports come after that. Those of others count from their acceptance, and this is 0.
 */
export const scheduledEndedAt = sql`iif(${emails.scheduledAt} is null, 0, coalesce(${emails.sentAt}, (
  select max(${emailEvents.occurredAt}) from email_events
  where ${emailEvents.teamId} = ${emails.teamId} and ${emailEvents.emailId} = ${emails.id}), ${emails.scheduledAt}))`
