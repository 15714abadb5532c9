import * as z from "zod"
import type { Work } from "../env.ts"
import { derivedId, newId } from "../lib/id.ts"
import type { TeamEvent } from "../webhooks/events.ts"
import { contact } from "./shapes.ts"
import type { ContactRow } from "./table.ts"

/** What webhooks are told of a contact, as it stands after the change. */
export const changeEvent = (work: Work, type: "created" | "updated", row: ContactRow) =>
  contactEvent(work, newId("event", work.now()), type, row)

/** Two calls at once that end the same state of consent tell of it once: the id follows from it. */
export function consentEvent(work: Work, row: ContactRow, before: ContactRow): TeamEvent {
  const type = row.subscribed ? "resubscribed" : "unsubscribed"
  const id = derivedId("event", before.updatedAt, `${row.id} ${type}`)
  return contactEvent(work, id, type, row)
}

const contactEvent = (
  work: Work,
  id: string,
  type: "created" | "updated" | "unsubscribed" | "resubscribed",
  row: ContactRow,
): TeamEvent => ({
  id,
  teamId: row.teamId,
  type: `contact.${type}`,
  createdAt: work.now(),
  data: { contact: z.encode(contact, row) },
})
