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
import type { Notes } from "../audit/notes.ts"
import { fixed, type Places, type ScopeText } from "../db/fixed.ts"
import type { Ctx, Work } from "../env.ts"
import { openCtx } from "../http/ctx.ts"
import type { EndpointAccess } from "../http/endpoint.ts"
import { sendingOnly, unauthorized } from "../http/errors.ts"
import type { Role, User } from "../people/contract.ts"
import { teams } from "../teams/table.ts"
import type { Permission } from "./contract.ts"
import { apiKeys } from "./table.ts"

const LAST_USED_EVERY_MS = 60_000

interface Team {
  id: string
  name: string
}

/** The caller, known after its key or session is read. */
export interface Caller {
  team: Team
  /** For a session, the permission that the role in the team gives. */
  permission: Permission
  /** Null with a session. */
  key: {
    id: string
    name: string
    permission: Permission
    keyPrefix: string
    domainId: string | null
  } | null
  /** Null with a key. */
  session: {
    token: string
    secret: string
    id: string
    startedAt: number
    user: User
    role: Role
    teams: (Team & { role: Role })[]
  } | null
}

/** A condition: a live key with this secret. */
const isLiveKey = (secretHash: string | Placeholder) =>
  and(eq(apiKeys.secretHash, secretHash), isNull(apiKeys.revokedAt)) as SQL

const teamOfKey = (secretHash: string | Placeholder) =>
  sql<string>`select team_id from api_keys where ${isLiveKey(secretHash)}`

const HASH = sql.placeholder("secretHash")

const SCOPE_OF_KEY: ScopeText = {
  team: sql<string>`(${teamOfKey(HASH)})`,
  callerRow: sql`select team_id, permission, domain_id from api_keys where ${isLiveKey(HASH)}`,
}

/** A batch answers rows as objects, so two columns with the same name would become one. */
const selectKey = fixed((db, { secretHash }: Places<"secretHash">) =>
  db
    .select({ ...getTableColumns(apiKeys), teamName: sql<string>`${teams.name}`.as("team_name") })
    .from(apiKeys)
    .innerJoin(teams, eq(teams.id, apiKeys.teamId))
    .where(isLiveKey(secretHash)),
)

/** Called with the result of looking up a key. */
interface Findings {
  known(teamId: string): void
  unknown(): Promise<never>
}

const NOTHING_MORE: Findings = {
  known: () => {},
  unknown: async () => {
    throw unauthorized()
  },
}

/** The context of a call with an API key. */
export function openKeyCtx(
  work: Work,
  secretHash: string,
  access: EndpointAccess,
  findings = NOTHING_MORE,
  notes?: Notes,
): Ctx {
  const credential = {
    read: selectKey(work, { secretHash }),
    async check([row]: Awaited<ReturnType<typeof selectKey>>) {
      if (!row) return findings.unknown()
      findings.known(row.teamId)
      if (access === "full" && row.permission !== "full") throw sendingOnly()
      noteUse(work, row)
      const team = { id: row.teamId, name: row.teamName }
      return { team, permission: row.permission, key: row, session: null }
    },
    team: teamOfKey(secretHash),
    scope: { text: SCOPE_OF_KEY, values: { secretHash } },
  }
  return openCtx(work, credential, notes)
}

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
