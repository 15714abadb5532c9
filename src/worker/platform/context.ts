import type { SQL } from "drizzle-orm"
import type { Db, Queries, Query, Results } from "./db/client.ts"
import type { Env, Settings } from "./env.ts"

/** The context of a queue message or of the cron, without a caller. */
export interface Work {
  env: Env
  settings: Settings
  /** The team's database. */
  db: Db
  /** The database of people, sessions and memberships: the same, or another one. */
  directory: Db
  /** Milliseconds since 1970. */
  now(): number
  /** Goes on after the reply. A failure is logged. */
  defer(work: Promise<unknown>): void
  /** As `defer`, but a consumer does not wait for it either. */
  detach(work: Promise<unknown>): void
}

/** For statements: a team's id, or SQL that selects it, as a `Ctx` has it. */
export type TeamId = string | SQL<string>

/** The context of a call on behalf of a team. */
export interface Ctx extends Work {
  /** Selects the team's id, for queries: a query needs no checked key. The id itself is `caller().team.id`. */
  team: SQL<string>
  /** The same for statements whose text is built once; also has the caller's row. */
  scope: Scope
  /** The id of the person, in the same form; null with a key. */
  user: SQL<string>
  /** The checked caller. Takes one round trip, unless a batch has already read the key. */
  caller(): Promise<Caller>
  /** The same call in the directory: `db` and `batch` reach the people. */
  people: Ctx
  /** What the audit log shows of the object that the call changes, if there is anything to show. */
  audited: Audited | undefined
  /** One round trip. The first batch also checks the key. */
  batch<Q extends Queries>(queries: Q): Promise<Results<Q>>
}

/** What the caller may do. */
export type Permission = "full" | "sending_only"

/** What a person may do in a team. */
export type Role = "owner" | "admin" | "member"

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
    user: { id: string; email: string; name: string }
    role: Role
    secondFactor: boolean
    /** The team requires a second factor, and the session has none. */
    secondFactorMissing: boolean
    teams: (Team & { role: Role })[]
  } | null
}

/** The object that a call changes, as the audit log shows it. */
export interface Audited {
  /** The object before the call. Absent if the path names none. */
  before?: ObjectBefore
  /** Selects the object that the path names. The first query of the call also reads it. */
  select(team: SQL): Query | undefined
  found(object: { id: string; label: string; fields: string }): void
  /** The fields that differ from those before, once a statement has changed the object. */
  changes(teamId: string, id: string | null): SQL | undefined
}

interface ObjectBefore {
  id: string | null
  label: string | null
  /** As JSON. */
  fields: string | null
}

/** How the text of a statement names the caller's team, and the values of this call. */
export interface Scope {
  text: ScopeText
  values: Record<string, string | number | null | undefined>
}

/** Made once for each kind of credential. */
export interface ScopeText {
  team: SQL<string>
  callerRow: SQL
}
