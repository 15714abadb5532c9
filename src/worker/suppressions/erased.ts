import { and, eq, gte, lt, sql } from "drizzle-orm"
import { sha256Hex } from "../../lib/crypto.ts"
import { newId } from "../../lib/id.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { assigned } from "../platform/db/columns.ts"
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
      sql`update or ignore suppressions set ${assigned(suppressions, { email: erased, note: null })}
        where ${isEntry}`,
    ),
    work.db.delete(suppressions).where(isEntry),
    work.db.run(
      insertSuppressions(
        {
          teamId,
          email: erased,
          id: newId("suppression", work.now()),
          reason: "manual",
          createdAt: work.now(),
        },
        sql`where true`,
      ),
    ),
  ])
}

/** A team's entries in erased form, which begins with a hexadecimal digit; oldest first. */
export const selectErased = (ctx: Ctx) =>
  ctx.db
    .select({ email: suppressions.email, createdAt: suppressions.createdAt })
    .from(suppressions)
    .where(
      and(
        eq(suppressions.teamId, ctx.team),
        gte(suppressions.email, "0"),
        lt(suppressions.email, "g"),
        sql`substr(${suppressions.email}, ${-ERASED_HOST.length}) = ${ERASED_HOST}`,
      ),
    )
    .orderBy(suppressions.createdAt)
