import * as z from "zod"
import type { Work } from "../platform/context.ts"
import { newEvent } from "../webhooks/events/store.ts"
import { contact } from "./shapes.ts"
import type { ContactRow } from "./table.ts"

export type ContactEventType =
  | "created"
  | "updated"
  | "unsubscribed"
  | "resubscribed"
  | "pending"
  | "confirmed"

/** The event for webhooks, with the contact as it is after the change. */
export const contactEvent = (work: Work, type: ContactEventType, row: ContactRow) =>
  newEvent(work, row.teamId, `contact.${type}`, { contact: z.encode(contact, row) })
