import { type SQL, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"
import type { apiKeys } from "../../access/keys/table.ts"
import type { invitations, signInAttempts, verifications } from "../../access/people/table.ts"
import type { layouts } from "../../campaigns/layouts/table.ts"
import type { campaigns } from "../../campaigns/table.ts"
import type { contactBooks } from "../../contacts/table.ts"
import type { domains } from "../../domains/table.ts"
import type { Caller, CallNotes, Work } from "../../platform/context.ts"
import { createDb, type Query } from "../../platform/db/client.ts"
import { noteWrites } from "../../platform/db/note-writes.ts"
import type { Endpoint } from "../../platform/http/endpoint.ts"
import type { suppressions } from "../../suppressions/table.ts"
import type { templates } from "../../templates/table.ts"
import type { webhooks } from "../../webhooks/events/table.ts"
import { type Actor, createNote, userActor } from "./entry.ts"

type Noted = Pick<Endpoint, "name" | "method" | "audit">

/** These columns have the names of their properties. */
type ColumnOf<T extends SQLiteTable> = keyof T["$inferSelect"] & string

const inTable = <T extends SQLiteTable>(
  table: T["_"]["name"],
  label: ColumnOf<T>,
  by?: ColumnOf<T>[],
) => ({ table, label, by })

/** The table and the label of an action's object, by the first part of the action's name. */
const OBJECTS: Record<string, { table: string; label: string; by?: string[] | undefined }> = {
  apiKeys: inTable<typeof apiKeys>("api_keys", "name"),
  campaigns: inTable<typeof campaigns>("campaigns", "name"),
  contactBooks: inTable<typeof contactBooks>("contact_books", "name"),
  domains: inTable<typeof domains>("domains", "name"),
  invitations: inTable<typeof invitations>("invitations", "email"),
  layouts: inTable<typeof layouts>("layouts", "name"),
  suppressions: inTable<typeof suppressions>("suppressions", "email", ["email"]),
  templates: inTable<typeof templates>("templates", "name", ["id", "slug"]),
  webhooks: inTable<typeof webhooks>("webhooks", "url"),
}

/** A call that fails also writes these: it counts the attempt, or uses up the challenge. */
const UNNOTED = ["sign_in_attempts", "verifications"] satisfies (
  | typeof signInAttempts
  | typeof verifications
)["_"]["name"][]

export const isAudited = ({ method, audit }: Pick<Noted, "method" | "audit">) =>
  method !== "GET" && audit !== false

export function createNotes(
  work: Work,
  endpoint: Noted,
  params: Record<string, string>,
): CallNotes | undefined {
  if (!isAudited(endpoint)) return undefined
  const [type = ""] = endpoint.name.split(".")
  const [param = null] = Object.values(params)
  const object = OBJECTS[type]
  const subject = { id: object?.by ? null : param, label: null as string | null }
  let by: { teamId: string; actor: Actor } | undefined
  const note = createNote(work.env.DB, work.now())
  const db = createDb(
    noteWrites(work.env.DB, UNNOTED, () => {
      if (!by) throw new Error(`${endpoint.name} writes before its caller is known`)
      return note({ ...by, action: endpoint.name, objectId: subject.id, label: subject.label })
    }),
  )
  return {
    db,
    findObject: (team) =>
      object && param !== null ? selectObject(work, object, team, param) : undefined,
    found(row) {
      subject.id = row?.id ?? subject.id
      subject.label = row ? labelFor(type, row.label) : null
    },
    caller(caller) {
      by = { teamId: caller.team.id, actor: actorOf(caller) }
    },
    creates(id) {
      subject.id ??= id
    },
    input(json) {
      if (type !== "erasures") subject.label ??= labelFor(type, labelIn(json))
    },
  }
}

const selectObject = (
  { db }: Work,
  { table, label, by = ["id"] }: (typeof OBJECTS)[string],
  team: SQL,
  param: string,
): Query =>
  db.all(sql`select id, ${sql.raw(label)} as label from ${sql.raw(table)}
    where team_id = (${team}) and (${sql.join(
      by.map((column) => sql`${sql.raw(column)} = ${param}`),
      sql` or `,
    )}) limit 1`)

/** A webhook's path and query may hold a secret. */
const labelFor = (type: string, label: string | null) =>
  type === "webhooks" && label !== null ? (URL.parse(label)?.host ?? null) : label

function labelIn(json: unknown): string | null {
  const { name, email, url } = (json ?? {}) as Record<string, unknown>
  return [name, email, url].find((value) => typeof value === "string") ?? null
}

const actorOf = ({ key, session }: Caller): Actor =>
  session ? userActor(session.user) : { type: "key", id: key?.id ?? null, name: key?.name ?? null }
