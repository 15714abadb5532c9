import { and, asc, eq, gt, gte, lt } from "drizzle-orm"
import { normalizeAddress, normalizePart } from "../../lib/address.ts"
import { endOfPrefix } from "../../lib/text.ts"
import type { Ctx } from "../platform/context.ts"
import { type Page, type PageQuery, parseCursor, writeCursor } from "../platform/http/page.ts"
import type { Suppression } from "./contract.ts"
import { erasedForm } from "./erased.ts"
import { suppressions } from "./table.ts"

/**
 * Entries whose address starts with a text, as a range of the primary key. A whole address that was
 * erased finds its entry, too.
 */
export async function searchSuppressions(
  ctx: Ctx,
  { q, limit, cursor }: PageQuery & { q: string },
): Promise<Page<Suppression>> {
  const prefix = normalizePart(q)
  const after = parseCursor(cursor, (address) => address.startsWith(prefix) && address)
  const address = normalizeAddress(prefix)
  const ofTeam = eq(suppressions.teamId, ctx.team)
  const [rows, erased] = await ctx.batch([
    ctx.db
      .select()
      .from(suppressions)
      .where(
        and(
          ofTeam,
          after === undefined ? gte(suppressions.email, prefix) : gt(suppressions.email, after),
          lt(suppressions.email, endOfPrefix(prefix)),
        ),
      )
      .orderBy(asc(suppressions.email))
      .limit(limit + 1),
    ctx.db
      .select()
      .from(suppressions)
      .where(and(ofTeam, eq(suppressions.email, address ? erasedForm(ctx.settings, address) : ""))),
  ])
  const data = rows.length === 0 && cursor === undefined ? erased : rows.slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: rows.length > limit && last ? writeCursor(last.email) : null }
}
