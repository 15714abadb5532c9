import { sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { purgeInTurns } from "../../teams/purge.ts"
import { teams } from "../../teams/table.ts"
import { REFUSED_CALL_DAYS } from "./contract.ts"
import { refusedCalls } from "./table.ts"

export function purgeRefusedCalls(work: Work): Promise<void> {
  const end = firstIdAt("refusedCall", work.now() - REFUSED_CALL_DAYS * DAY_MS)
  const expired = sql`select ${refusedCalls.id} as value from refused_calls
    where ${refusedCalls.teamId} = ${teams.id} and ${refusedCalls.id} < ${end}`
  return purgeInTurns(work, expired, (select) =>
    work.db
      .delete(refusedCalls)
      .where(sql`(${refusedCalls.teamId}, ${refusedCalls.id}) in (${select})`)
      .returning({ teamId: refusedCalls.teamId }),
  )
}
