import * as z from "zod"
import type { Work } from "../env.ts"
import type { TeamEvent } from "../events/store.ts"
import { newId } from "../lib/id.ts"
import { contact } from "./shapes.ts"
import type { ContactRow } from "./table.ts"

/** What webhooks are told of a contact, as it stands after the change. */
export const contactEvent = (
  work: Work,
  type: "created" | "updated" | "unsubscribed" | "resubscribed",
  row: ContactRow,
): TeamEvent => ({
  id: newId("event", work.now()),
  teamId: row.teamId,
  type: `contact.${type}`,
  createdAt: work.now(),
  data: { contact: z.encode(contact, row) },
})
