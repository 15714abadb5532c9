import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import type { Work } from "../../platform/context.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import type { SuppressionReason } from "../../suppressions/contract.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { insertSuppressions } from "../../suppressions/insert.ts"
import { suppressions } from "../../suppressions/table.ts"
import { emails } from "../table.ts"
import { addressToStore } from "./erased-recipients.ts"
import type { EmailReport } from "./report.ts"

const entry = jsonFields<ReturnType<typeof suppressedBy>[number]>()

/** Part of the record of outcomes. `isKnown` finds the events that are on the timeline already. */
export const suppressRecipients = (suppressed: Placeholder, now: Placeholder, isKnown: SQL) =>
  insertSuppressions(
    {
      teamId: emails.teamId,
      email: addressToStore(entry.email, entry.erased),
      id: entry.suppressionId,
      reason: entry.reason,
      sourceEmailId: emails.id,
      createdAt: now,
    },
    sql`from ${jsonRows(suppressed)}
    cross join emails on ${emails.teamId} = ${entry.teamId} and ${emails.id} = ${entry.emailId}
    where not ${isKnown} and not exists (
      select 1 from suppressions where ${suppressions.teamId} = ${emails.teamId}
        and ${suppressions.email} = ${entry.erased}
    )`,
  )

export const suppressedBy = ({ settings, now }: Work, events: readonly EmailReport[]) =>
  events.flatMap(suppressionsOf).map((one) => ({
    ...one,
    erased: erasedForm(settings, one.email),
    suppressionId: newId("suppression", now()),
  }))

/** A hard bounce and a complaint suppress their recipients, unless the complaint says "not spam". */
function suppressionsOf({ teamId, emailId, id, type, data }: EmailReport) {
  const reason: SuppressionReason | null =
    type === "bounced" && data.bounceType === "Permanent"
      ? "bounce"
      : type === "complained" && data.complaintFeedbackType !== "not-spam"
        ? "complaint"
        : null
  return reason
    ? (data.recipients ?? []).map((email) => ({ teamId, emailId, id, email, reason }))
    : []
}
