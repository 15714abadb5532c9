import { and, eq, sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { newId } from "../lib/id.ts"
import { insertSuppressions } from "./insert.ts"
import { suppressions } from "./table.ts"

export const ERASED_HOST = "@erased.invalid"

/** Takes the place of an erased address in the mail log and in suppressions. */
export const erasedForm = (address: string) => sha256Hex(address) + ERASED_HOST

/** Lists an address under its erased form alone. An existing entry keeps its reason. */
export async function suppressErased(work: Work, teamId: string, email: string): Promise<void> {
  const erased = erasedForm(email)
  const isEntry = and(eq(suppressions.teamId, teamId), eq(suppressions.email, email))
  await work.db.batch([
    work.db.run(
      sql`update or ignore suppressions set email = ${erased}, note = null where ${isEntry}`,
    ),
    work.db.delete(suppressions).where(isEntry),
    work.db.run(
      insertSuppressions(sql`select ${teamId}, ${erased}, ${newId("suppression", work.now())},
        'manual', null, null, ${work.now()} where true`),
    ),
  ])
}

/** A team's entries in erased form, which begins with a hexadecimal digit; oldest first. */
export const selectErased = (ctx: Ctx) =>
  ctx.db.all<{ email: string; createdAt: number }>(sql`
    select email, created_at as createdAt from suppressions
    where team_id = ${ctx.team} and email >= '0' and email < 'g'
      and substr(email, ${-ERASED_HOST.length}) = ${ERASED_HOST}
    order by created_at`)
