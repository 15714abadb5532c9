import { and, eq, or, type SQL, sql } from "drizzle-orm"
import type { Audited, Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import type { Endpoint } from "../../platform/http/endpoint.ts"
import { fieldsOf, isObject, selectChanges } from "./changes.ts"
import { type AuditedObject, OBJECTS } from "./objects.ts"

/** The object that a call changes. Undefined for a read, and for objects whose fields are not noted. */
export function createAudited(
  work: Work,
  { name, method }: Pick<Endpoint, "name" | "method">,
  params: Record<string, string>,
): Audited | undefined {
  const [type = ""] = name.split(".")
  const object = OBJECTS[type]
  if (method === "GET" || !object) return undefined
  const isTeam = type === "team"
  const [param = null] = Object.values(params)
  const audited: Audited = {
    select: (team) =>
      isTeam || param !== null ? selectObject(work, object, team, param) : undefined,
    found({ id, label, fields }) {
      // A webhook's path and query may hold a secret.
      const shown = type === "webhooks" ? URL.parse(label)?.host || label : label
      audited.before = isTeam ? { id: null, label: null, fields } : { id, label: shown, fields }
    },
    changes(teamId, id) {
      const rowId = isTeam ? teamId : id
      if (rowId === null) return undefined
      const before = audited.before?.id === id ? audited.before.fields : null
      return selectChanges(object, { teamId, id: rowId, before })
    },
  }
  return audited
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
    .select({ id: table.id, label, fields: fieldsOf(object).as("fields") })
    .from(table)
    .where(and(isObject(object, sql`(${team})`), param === null ? undefined : or(...isNamed)))
  if (!orElse) return found.limit(1)
  return found
    .unionAll(
      db
        .select({ id: orElse.id, label: orElse.label, fields: sql<string>`null` })
        .from(orElse.table)
        .where(and(eq(orElse.teamId, sql`(${team})`), eq(orElse.id, param), orElse.where)),
    )
    .limit(1)
}
