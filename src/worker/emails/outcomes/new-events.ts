import { columnsOf } from "../../platform/db/columns.ts"

/**
 * The table expression `new_events`: the reported events that are not on their email's timeline
 * yet, each beside its email as it stands. `record.ts` writes it, and passes it to the statements.
 */
export type NewEventColumn =
  | "team_id"
  | "email_id"
  | "event_types"
  | "campaign_id"
  | "template_id"
  | "domain_id"
  | "tags"
  | "recipient"
  | "due_at"
  | "is_notice"
  | "ended"
  | "assumed"
  | "id"
  | "type"
  | "occurred_at"
  | "rank"
  | "bit"
  | "day"
  | "quarter"
  | "link"
  | "provider_message_id"
  | "data"

export const newEvent = columnsOf<NewEventColumn>("new_events")
