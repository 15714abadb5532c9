import { and, eq, getTableColumns, getTableName, or, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { apiKeys } from "../../access/keys/table.ts"
import { invitations, signInAttempts, verifications } from "../../access/people/table.ts"
import { layouts } from "../../campaigns/layouts/table.ts"
import { campaigns } from "../../campaigns/table.ts"
import { contactBooks } from "../../contacts/table.ts"
import { domains } from "../../domains/table.ts"
import type { Caller, CallNotes, Work } from "../../platform/context.ts"
import { createDb, type Query } from "../../platform/db/client.ts"
import { noteWrites } from "../../platform/db/note-writes.ts"
import type { Endpoint } from "../../platform/http/endpoint.ts"
import { removals } from "../../removals/table.ts"
import { segments } from "../../segments/table.ts"
import { suppressions } from "../../suppressions/table.ts"
import { templates } from "../../templates/table.ts"
import { topics } from "../../topics/table.ts"
import { savedViews } from "../../views/table.ts"
import { webhooks } from "../../webhooks/events/table.ts"
import { type Actor, createNote, userActor } from "./entry.ts"

type Noted = Pick<Endpoint, "name" | "method" | "audit">

interface AuditedObject {
  table: SQLiteTable
  label: SQLiteColumn
  by?: SQLiteColumn[]
}

/** The table and the label of an action's object, by the first part of the action's name. */
const OBJECTS: Record<string, AuditedObject> = {
  apiKeys: { table: apiKeys, label: apiKeys.name },
  campaigns: { table: campaigns, label: campaigns.name },
  contactBooks: { table: contactBooks, label: contactBooks.name },
  domains: { table: domains, label: domains.name },
  invitations: { table: invitations, label: invitations.email },
  layouts: { table: layouts, label: layouts.name },
  suppressions: { table: suppressions, label: suppressions.email, by: [suppressions.email] },
  templates: { table: templates, label: templates.name, by: [templates.id, templates.slug] },
  segments: { table: segments, label: segments.name },
  topics: { table: topics, label: topics.name },
  views: { table: savedViews, label: savedViews.name },
  webhooks: { table: webhooks, label: webhooks.url },
}

/**
 * A call that fails also writes the first two: it counts the attempt, or uses up the challenge.
 * Removals stand beside a write that is noted.
 */
const UNNOTED = [signInAttempts, verifications, removals].map(getTableName)

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
  { table, label, by }: AuditedObject,
  team: SQL,
  param: string,
): Query => {
  const { id, teamId } = getTableColumns(table) as Record<"id" | "teamId", SQLiteColumn>
  return db
    .select({ id, label })
    .from(table)
    .where(and(eq(teamId, sql`(${team})`), or(...(by ?? [id]).map((column) => eq(column, param)))))
    .limit(1)
}

/** A webhook's path and query may hold a secret. */
const labelFor = (type: string, label: string | null) =>
  type === "webhooks" && label !== null ? (URL.parse(label)?.host ?? null) : label

function labelIn(json: unknown): string | null {
  const { name, email, url } = (json ?? {}) as Record<string, unknown>
  return [name, email, url].find((value) => typeof value === "string") ?? null
}

const actorOf = ({ key, session }: Caller): Actor =>
  session ? userActor(session.user) : { type: "key", id: key?.id ?? null, name: key?.name ?? null }
