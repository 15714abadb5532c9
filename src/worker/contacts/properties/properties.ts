import { and, eq, isNotNull, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import { listRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { contactProperties, type DeclaredProperty } from "./table.ts"

const NOUN = "Contact property"
const MAX_DECLARED = 200

export async function declareProperty(
  ctx: Ctx,
  input: Pick<DeclaredProperty, "key" | "type" | "fallback">,
): Promise<DeclaredProperty> {
  const { team } = await ctx.caller()
  const id = newId("contactProperty", ctx.now())
  const { created, counted } = await commit(ctx, {
    counted: ctx.db.all<{ count: number }>(
      sql`select count(*) as count from ${contactProperties} where ${isOfTeam(ctx)}`,
    ),
    stored: ctx.db.run(
      sql`${insertInto(
        contactProperties,
        { ...input, id, teamId: team.id, createdAt: ctx.now() },
        sql`where (select count(*) from ${contactProperties} where ${isOfTeam(ctx)}) < ${MAX_DECLARED}`,
      )} on conflict do nothing`,
    ),
    audit: await auditEntry(ctx, "contactProperties.create", { id, label: input.key }),
    created: ctx.db.select().from(contactProperties).where(isProperty(ctx, id)),
  })
  if (created[0]) return created[0]
  const isFull = (counted[0]?.count ?? 0) >= MAX_DECLARED
  throw conflict(
    isFull
      ? `A team declares at most ${MAX_DECLARED} properties.`
      : `The property '${input.key}' is declared already.`,
  )
}

export const listProperties = (ctx: Ctx, query: PageQuery): Promise<Page<DeclaredProperty>> =>
  listRecords(ctx, contactProperties, "contactProperty", query)

export async function getProperty(ctx: Ctx, id: string): Promise<DeclaredProperty> {
  const [[row]] = await ctx.batch([
    ctx.db.select().from(contactProperties).where(isProperty(ctx, id)),
  ])
  return orNotFound(row, NOUN)
}

export async function changeFallback(ctx: Ctx, id: string, fallback: string | null) {
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(contactProperties)
      .set({ fallback })
      .where(isProperty(ctx, id))
      .returning({ id: contactProperties.id }),
    audit: await auditEntry(ctx, "contactProperties.update", { id }),
  })
  orNotFound(updated[0], NOUN)
}

/** Contacts keep their values. */
export async function removeProperty(ctx: Ctx, id: string) {
  const { removed } = await commit(ctx, {
    removed: ctx.db
      .delete(contactProperties)
      .where(isProperty(ctx, id))
      .returning({ id: contactProperties.id }),
    audit: await auditEntry(ctx, "contactProperties.remove", { id }),
  })
  orNotFound(removed[0], NOUN)
}

/** By key, for those of the keys that have one. */
export async function readFallbacks(ctx: Ctx, keys: readonly string[]) {
  if (keys.length === 0) return new Map<string, string>()
  const [rows] = await ctx.batch([
    ctx.db
      .select({ key: contactProperties.key, fallback: contactProperties.fallback })
      .from(contactProperties)
      .where(
        and(
          isOfTeam(ctx),
          isOneOf(contactProperties.key, keys),
          isNotNull(contactProperties.fallback),
        ),
      ),
  ])
  return new Map(rows.map(({ key, fallback }) => [key, fallback ?? ""]))
}

const isOfTeam = (ctx: Ctx) => eq(contactProperties.teamId, ctx.team)

const isProperty = (ctx: Ctx, id: string) => and(isOfTeam(ctx), eq(contactProperties.id, id))
