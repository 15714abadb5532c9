import { and, desc, eq, inArray, lt, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { normalizeAddress } from "../lib/address.ts"
import type { addSuppression as contract, Suppression } from "./contract.ts"
import { erasedForm } from "./erased.ts"
import { insertSuppressions } from "./insert.ts"
import { suppressions } from "./table.ts"

export async function addSuppression(ctx: Ctx, input: InputOf<typeof contract>["json"]) {
  const { team } = await ctx.caller()
  const listed = ctx.db.select().from(suppressions).where(isEntryOf(ctx, input.email))
  const results = await namedBatch(ctx, {
    inserted: ctx.db.run(
      insertSuppressions(sql`
        select ${team.id}, ${input.email}, ${ctx.newId("suppression")}, ${input.reason},
          ${input.note}, null, ${ctx.now()}
        where not exists ${listed}`),
    ),
    listed,
  })
  return results.listed[0] as Suppression
}

export async function listSuppressions(ctx: Ctx, query: PageQuery): Promise<Page<Suppression>> {
  const below = readCursor("suppression", query.cursor)
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(suppressions)
      .where(and(eq(suppressions.teamId, ctx.team), below ? lt(suppressions.id, below) : undefined))
      .orderBy(desc(suppressions.id))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function removeSuppression(ctx: Ctx, email: string): Promise<undefined> {
  const address = normalizeAddress(email)
  const removed = address
    ? await ctx.db.delete(suppressions).where(isEntryOf(ctx, address)).returning()
    : []
  if (removed.length === 0) throw notFound("Suppression")
}

/** A caller who knows an erased address still finds its entry. */
const isEntryOf = (ctx: Ctx, address: string) =>
  and(
    eq(suppressions.teamId, ctx.team),
    inArray(suppressions.email, [address, erasedForm(address)]),
  )
