import { and, eq, getTableName, or, type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { signInAttempts, verifications } from "../../access/people/table.ts"
import type { Caller, CallNotes, Work } from "../../platform/context.ts"
import { createDb, type Query } from "../../platform/db/client.ts"
import { noteWrites } from "../../platform/db/note-writes.ts"
import type { Endpoint } from "../../platform/http/endpoint.ts"
import { removals } from "../../removals/table.ts"
import { fieldsOf, isObject, selectChanges } from "./changes.ts"
import { type Actor, createNote, userActor } from "./entry.ts"
import { moveAuditEntries } from "./move-entries.ts"
import { type AuditedObject, OBJECTS } from "./objects.ts"

type Noted = Pick<Endpoint, "name" | "method" | "audit">

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
  const subject = {
    id: object?.by ? null : param,
    label: null as string | null,
    before: null as string | null,
  }
  let by: { teamId: string; actor: Actor } | undefined
  const entryId = newId("auditEntry", work.now())
  const noted = (d1: D1Database, afterNote?: () => void) => {
    const insertNote = createNote(d1, entryId, work.now())
    const note = () => {
      if (!by) throw new Error(`${endpoint.name} writes before its caller is known`)
      const { id, label, before } = subject
      const { teamId } = by
      const rowId = type === "team" ? teamId : id
      const changes =
        object && rowId !== null && selectChanges(object, { teamId, id: rowId, before })
      return insertNote({
        ...by,
        action: endpoint.name,
        objectId: id,
        label,
        changes: changes || undefined,
      })
    }
    return createDb(noteWrites(d1, UNNOTED, note, afterNote))
  }
  const { DB, DIRECTORY } = work.env
  const db = noted(DB)
  return {
    db,
    directory: DIRECTORY ? noted(DIRECTORY, () => work.defer(moveAuditEntries(work))) : db,
    findObject: (team) =>
      object && (param !== null || type === "team")
        ? selectObject(work, object, team, param)
        : undefined,
    found(row) {
      subject.before = row?.before ?? null
      if (type === "team") return
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

/** Without a parameter in the path, the object is the team itself. */
const selectObject = (
  { db }: Work,
  object: AuditedObject,
  team: SQL,
  param: string | null,
): Query => {
  const { table, label, by = [table.id], orElse } = object
  const isNamed = by.map((column) => eq(column, param))
  const found = db
    .select({ id: table.id, label, before: fieldsOf(object).as("before_change") })
    .from(table)
    .where(and(isObject(object, sql`(${team})`), param === null ? undefined : or(...isNamed)))
  if (!orElse) return found.limit(1)
  return found
    .unionAll(
      db
        .select({ id: orElse.id, label: orElse.label, before: sql<string>`null` })
        .from(orElse.table)
        .where(and(eq(orElse.teamId, sql`(${team})`), eq(orElse.id, param), orElse.where)),
    )
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
