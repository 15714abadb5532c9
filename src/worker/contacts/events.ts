import * as z from "zod"
import type { Work } from "../platform/context.ts"
import { newEvent } from "../webhooks/events/store.ts"
import { contact } from "./shapes.ts"
import type { ContactRow } from "./table.ts"

/** The event for webhooks, with the contact as it is after the change. */
export const contactEvent = (
  work: Work,
  type: "created" | "updated" | "unsubscribed" | "resubscribed",
  row: ContactRow,
) => newEvent(work, row.teamId, `contact.${type}`, { contact: z.encode(contact, row) })
