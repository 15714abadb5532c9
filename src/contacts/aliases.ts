import { alias } from "drizzle-orm/sqlite-core"
import { contactBooks, contacts } from "./table.ts"

/** Short names in raw SQL: `from contacts c`. */
export const c = alias(contacts, "c")
export const b = alias(contactBooks, "b")
