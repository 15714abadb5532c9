import { createHmac } from "node:crypto"
import { and, eq, gte, lt, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import type { Ctx, Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments } from "../platform/db/columns.ts"
import type { Settings } from "../platform/env.ts"
import { insertSuppressions } from "./insert.ts"
import { suppressions } from "./table.ts"

export const ERASED_HOST = "@erased.invalid"

/**
 * Takes the place of an erased address in the mail log and in suppressions. Without the key, nobody
 * can find an address by trying the hashes of many.
 */
export const erasedForm = ({ ERASURE_KEY }: Pick<Settings, "ERASURE_KEY">, address: string) =>
  createHmac("sha256", ERASURE_KEY).update(address).digest("hex") + ERASED_HOST

/** Lists an address under its erased form alone. An existing entry keeps its reason. */
export function suppressErased(work: Work, teamId: string, email: string): Query[] {
  const erased = erasedForm(work.settings, email)
  const isEntry = and(eq(suppressions.teamId, teamId), eq(suppressions.email, email))
  return [
    work.db.run(
      sql`update or ignore suppressions set ${assignments(suppressions, { email: erased, note: null })}
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
  ]
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
