import type { SQLWrapper } from "drizzle-orm"
import { columnsOf } from "./columns.ts"

/** What the `callerRow` of a credential selects. */
export type CallerRow = Record<"team_id" | "permission" | "domain_id" | "key_id", SQLWrapper>

/** The columns of `with caller as (callerRow)`. */
export const caller = columnsOf<keyof CallerRow>("caller")
