import { alias } from "drizzle-orm/sqlite-core"
import { suppressions } from "./table.ts"

/** Short names in raw SQL: `from suppressions s`. */
export const s = alias(suppressions, "s")
