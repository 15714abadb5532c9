import { alias } from "drizzle-orm/sqlite-core"
import { deliveries, eventSequences, events, webhooks } from "./table.ts"

/** Short names in raw SQL: `from webhooks w`. */
export const w = alias(webhooks, "w")
export const e = alias(events, "e")
export const d = alias(deliveries, "d")
export const s = alias(eventSequences, "s")
