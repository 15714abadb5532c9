import {
  and,
  eq,
  getTableColumns,
  isNull,
  lte,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm"
import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { sha256Hex } from "../../lib/crypto.ts"
import { MINUTE_MS } from "../../lib/time.ts"
import type { Audited, Ctx, ScopeText, Work } from "../platform/context.ts"
import { createCtx } from "../platform/create-context.ts"
import type { CallerRow } from "../platform/db/caller.ts"
import { resultColumns } from "../platform/db/columns.ts"
import { databaseEnv, databaseNumber, hasOthers, WrongDatabase } from "../platform/db/databases.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import type { EndpointAccess } from "../platform/http/endpoint.ts"
import { sendingOnly, toApiError, unauthorized } from "../platform/http/errors.ts"
import type { Guarded, HttpEnv } from "../platform/http/route.ts"
import { createWork } from "../platform/work.ts"
import { teams } from "../teams/table.ts"
import { findDatabase, likelyDatabase } from "./keys/key-database.ts"
import { isSecret } from "./keys/secret.ts"
import { apiKeys } from "./keys/table.ts"
import { knownDatabases, knownKeys, limitKey, limitStranger, limitTeam } from "./rate-limit.ts"
import { noteRefusedCall } from "./refused-calls/note.ts"

/** For calls with an API key: `createCtx` reads the bearer header and applies the rate limits. */
export const bearerKey = createMiddleware<HttpEnv>(async (c, next) => {
  const refuse = async (): Promise<never> => {
    await limitStranger(c.env, c.req.header("cf-connecting-ip"))
    throw unauthorized()
  }
  const lookElsewhere = async (work: Work, secretHash: string): Promise<never> => {
    const database = hasOthers(c.env) ? await findDatabase(work, secretHash) : undefined
    if (database === undefined || database === databaseNumber(work.env)) return refuse()
    knownDatabases.remember(secretHash, database)
    throw new WrongDatabase()
  }
  let noteRefusal: ((failure: Error) => void) | undefined
  c.set("createCtx", async (endpoint) => {
    const token = readBearer(c)
    if (token === null) return refuse()
    const secretHash = sha256Hex(token)
    const database = knownDatabases.recall(secretHash) ?? likelyDatabase(c.env, secretHash)
    const work = createWork(databaseEnv(c.env, database), c.executionCtx)
    noteRefusal = (failure) => {
      const key = knownKeys.recall(secretHash)
      const call = `${c.req.method} ${endpoint.path}`
      if (key) noteRefusedCall(work, { ...key, call }, toApiError(failure))
    }
    await limitKey(c.env, secretHash)
    const known = knownKeys.recall(secretHash)
    if (known) await limitTeam(c.env, known.teamId)
    return createKeyCtx(work, secretHash, endpoint.access, {
      refuse: () => lookElsewhere(work, secretHash),
      audited: await auditedOf(work, endpoint, c.req.param()),
    })
  })
  await next()
  const failure = c.get("failure")
  if (failure) noteRefusal?.(failure)
})

/** What a sending-only key may change too is not audited, and a send must not load the tables of what is. */
async function auditedOf(work: Work, endpoint: Guarded, params: Record<string, string>) {
  if (endpoint.access === "any") return undefined
  const { createAudited } = await import("../teams/audit/audited.ts")
  return createAudited(work, endpoint, params)
}

/** Null if the token cannot be a key: then the database is not asked. */
function readBearer(c: Context): string | null {
  const [scheme, token = "", ...more] = (c.req.header("authorization") ?? "").split(/ +/, 3)
  const isBearer = scheme?.toLowerCase() === "bearer" && more.length === 0
  return isBearer && isSecret(token) ? token : null
}

interface Guards {
  /** Called for an unknown key. */
  refuse?: () => Promise<never>
  audited?: Audited | undefined
}

const refuseUnknown = async () => {
  throw unauthorized()
}

/** The context of a call with an API key. */
export function createKeyCtx(
  work: Work,
  secretHash: string,
  access: EndpointAccess,
  { refuse = refuseUnknown, audited }: Guards = {},
): Ctx {
  const credential = {
    read: selectKey(work, { secretHash }),
    async check([row]: Awaited<ReturnType<typeof selectKey>>) {
      if (!row) return refuse()
      knownKeys.remember(secretHash, { keyId: row.id, teamId: row.teamId })
      if (access === "full" && row.permission !== "full") throw sendingOnly()
      noteUse(work, row)
      const team = { id: row.teamId, name: row.teamName }
      return { team, permission: row.permission, key: row, session: null }
    },
    team: () => teamOfKey(secretHash),
    scope: { text: SCOPE_OF_KEY, values: { secretHash } },
  }
  return createCtx(work, credential, audited)
}

/** A condition: a live key with this secret. */
const isLiveKey = (secretHash: string | Placeholder) =>
  and(eq(apiKeys.secretHash, secretHash), isNull(apiKeys.revokedAt)) as SQL

const teamOfKey = (secretHash: string | Placeholder) =>
  sql<string>`select ${apiKeys.teamId} from ${apiKeys} where ${isLiveKey(secretHash)}`

const HASH = sql.placeholder("secretHash")

const SCOPE_OF_KEY: ScopeText = {
  team: sql<string>`(${teamOfKey(HASH)})`,
  callerRow: sql`select ${resultColumns({
    team_id: apiKeys.teamId,
    permission: apiKeys.permission,
    domain_id: apiKeys.domainId,
    key_id: apiKeys.id,
  } satisfies CallerRow)} from ${apiKeys} where ${isLiveKey(HASH)}`,
}

/** A batch answers rows as objects, so two columns with the same name would become one. */
const selectKey = prepared((db, { secretHash }: Placeholders<"secretHash">) =>
  db
    .select({ ...getTableColumns(apiKeys), teamName: sql<string>`${teams.name}`.as("team_name") })
    .from(apiKeys)
    .innerJoin(teams, eq(teams.id, apiKeys.teamId))
    .where(isLiveKey(secretHash)),
)

const LAST_USED_EVERY_MS = MINUTE_MS

/** Runs after the reply, so that a read does not wait for a write. */
function noteUse(work: Work, key: typeof apiKeys.$inferSelect) {
  const now = work.now()
  const stale = now - LAST_USED_EVERY_MS
  if (key.lastUsedAt !== null && key.lastUsedAt > stale) return
  work.defer(
    work.db
      .update(apiKeys)
      .set({ lastUsedAt: now })
      .where(
        and(
          isLiveKey(key.secretHash),
          or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, stale)),
        ),
      )
      .run(),
  )
}
