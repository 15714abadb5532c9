import * as z from "zod"
import type { Work } from "../env.ts"
import type { TeamEvent } from "../events/store.ts"
import { newId } from "../lib/id.ts"
import { contact } from "./shapes.ts"
import type { ContactRow } from "./table.ts"

/** The event for webhooks, with the contact as it is after the change. */
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
