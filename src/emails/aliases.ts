import { alias } from "drizzle-orm/sqlite-core"
import { emails } from "./table.ts"

/** Short names in raw SQL: `from emails e`. */
export const e = alias(emails, "e")
