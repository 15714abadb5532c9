import { and, eq, isNull, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { isOwnDomain } from "../../domains/own-domain.ts"
import type { Ctx } from "../../platform/context.ts"
import { insertInto, resultColumns } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { databaseNumber } from "../../platform/db/databases.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { conflict, invalid, notFound, orNotFound, otherDomain } from "../../platform/http/errors.ts"
import { listRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { keepRemovals } from "../../removals/keep.ts"
import { streamOf } from "../../stream/stream-of.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type { ApiKey, createApiKey as contract } from "./contract.ts"
import { registerKey } from "./key-database.ts"
import { newSecret, storedSecret } from "./secret.ts"
import { apiKeys } from "./table.ts"

type NewKey = InputOf<typeof contract>["json"]

const MAX_LIVE_KEYS = 100

/** For keys only; `getSession` does this for a session. */
export async function getMe(ctx: Ctx) {
  const { team, key } = await ctx.caller()
  if (!key) throw notFound("Path")
  return { team, key }
}

/** A key that is restricted to one domain creates only keys for that domain. */
export async function createApiKey(ctx: Ctx, { name, permission, domainId: asked }: NewKey) {
  const { team, key } = await ctx.caller()
  const own = key?.domainId ?? null
  const domainId = asked === undefined ? own : asked
  if (own !== null && domainId !== own) throw otherDomain()
  if (domainId !== null && !(await isOwnDomain(ctx, domainId))) {
    throw invalid(["domainId"], "Domain not found.")
  }
  const secret = newSecret(databaseNumber(ctx.env))
  const id = newId("apiKey", ctx.now())
  await registerKey(ctx, storedSecret(secret).secretHash, team.id)
  const isLive = and(eq(apiKeys.teamId, team.id), isNull(apiKeys.revokedAt))
  const liveKeys = ctx.db.$count(apiKeys, isLive)
  const { created } = await commit(ctx, {
    created: ctx.db.all(sql`
    ${insertInto(
      apiKeys,
      {
        ...storedSecret(secret),
        id,
        teamId: team.id,
        name,
        permission,
        domainId,
        createdAt: ctx.now(),
      },
      sql`where ${liveKeys} < ${MAX_LIVE_KEYS}`,
    )}
    returning ${resultColumns({ id: apiKeys.id })}`),
    audit: await auditEntry(ctx, "apiKeys.create", { id, label: name }),
  })
  if (created.length === 0) throw conflict(`A team has at most ${MAX_LIVE_KEYS} live keys.`)
  return { id, secret }
}

export const listApiKeys = (ctx: Ctx, query: PageQuery): Promise<Page<ApiKey>> =>
  listRecords(ctx, apiKeys, "apiKey", query, isNull(apiKeys.revokedAt))

export async function revokeApiKey(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const isLive = and(eq(apiKeys.teamId, team.id), eq(apiKeys.id, id), isNull(apiKeys.revokedAt))
  const { revoked } = await commit(ctx, {
    kept: keepRemovals(
      ctx,
      { teamId: apiKeys.teamId, kind: "key", subject: apiKeys.id, removedAt: now },
      sql`from ${apiKeys} where ${isLive}`,
    ),
    revoked: ctx.db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(isLive)
      .returning({ id: apiKeys.id }),
    audit: await auditEntry(ctx, "apiKeys.revoke", { id }),
  })
  orNotFound(revoked[0], "API key")
  ctx.defer(streamOf(ctx.env, team.id).endStreamsOf(id))
}
