import { and, desc, eq, isNull, lt } from "drizzle-orm"
import { isOwnDomain } from "../domains/domains.ts"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { invalid, notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { newId } from "../lib/id.ts"
import type { ApiKey, createApiKey as contract } from "./contract.ts"
import { newSecret, storedSecret } from "./secret.ts"
import { apiKeys } from "./table.ts"

type NewKey = InputOf<typeof contract>["json"]

/** A session, which is no key, learns of itself elsewhere. */
export async function getMe(ctx: Ctx) {
  const { team, key } = await ctx.caller()
  if (!key) throw notFound("Path")
  return { team, key }
}

export async function createApiKey(ctx: Ctx, { name, permission, domainId }: NewKey) {
  const { team } = await ctx.caller()
  if (domainId && !(await isOwnDomain(ctx, domainId))) {
    throw invalid(["domainId"], "Domain not found.")
  }
  const secret = newSecret()
  const id = newId("apiKey", ctx.now())
  await ctx.db.insert(apiKeys).values({
    ...storedSecret(secret),
    id,
    teamId: team.id,
    name,
    permission,
    domainId: domainId ?? null,
    createdAt: ctx.now(),
  })
  return { id, secret }
}

export async function listApiKeys(ctx: Ctx, query: PageQuery): Promise<Page<ApiKey>> {
  const below = readCursor("apiKey", query.cursor)
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.teamId, ctx.team),
          isNull(apiKeys.revokedAt),
          below ? lt(apiKeys.id, below) : undefined,
        ),
      )
      .orderBy(desc(apiKeys.id))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function revokeApiKey(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const [revoked] = await ctx.db
    .update(apiKeys)
    .set({ revokedAt: ctx.now() })
    .where(and(eq(apiKeys.teamId, ctx.team), eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id })
  if (!revoked) throw notFound("API key")
  ctx.defer(ctx.env.TEAM_STREAM.getByName(team.id).endStreamsOf(id))
}
