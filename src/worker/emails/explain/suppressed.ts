import { sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { ERASED_HOST } from "../../suppressions/erased.ts"
import { s } from "../../suppressions/table.ts"
import { e, type Recipient } from "../table.ts"
import type { Suppressed } from "./input.ts"

const r = jsonFields<Recipient>("r")

/** The recipients of an email that are on the suppression list now, also in erased form. */
export const selectSuppressed = (ctx: Ctx, id: string) =>
  ctx.db.all<Suppressed>(sql`
    select ${r.address} as address, ${s.reason} from emails e
    cross join json_each(${e.recipients}) r
    cross join suppressions s on ${s.teamId} = ${e.teamId}
      and ${s.email} in (${r.address}, ${r.hash} || ${ERASED_HOST})
    where ${e.teamId} = ${ctx.team} and ${e.id} = ${id}`)
