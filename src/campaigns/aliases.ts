import { alias } from "drizzle-orm/sqlite-core"
import { campaigns } from "./table.ts"

/** Short names in raw SQL: `from campaigns k`. */
export const k = alias(campaigns, "k")
