import { and, eq, type SQL, sql } from "drizzle-orm"
import type { FieldChange } from "./contract.ts"
import { type AuditedObject, OBJECTS } from "./objects.ts"

const SHOWN_CHARACTERS = 200

/** The fields of a row as JSON, for `selectChanges` after the change. */
export const fieldsOf = ({ fields }: AuditedObject): SQL<string> => {
  const pairs = Object.entries(fields).map(([name, column]) => sql`${name}, ${column}`)
  return sql`json_object(${sql.join(pairs, sql`, `)})`
}

export const isObject = ({ table, where }: AuditedObject, team: SQL | string, id?: SQL | string) =>
  and(eq(table.teamId ?? table.id, team), id === undefined ? undefined : eq(table.id, id), where)

interface Subject {
  teamId: string
  id: string
  /** The fields before the change; null if the call creates the object. */
  before: string | null
}

/** The fields that differ, with their values before and after the statement that comes first. */
export function selectChanges(object: AuditedObject, { teamId, id, before }: Subject): SQL {
  const { table, fields, hidden = [] } = object
  const after = sql`select ${fieldsOf(object)} from ${table} where ${isObject(object, teamId, id)}`
  const old = sql`r.old_fields ->> field.value`
  const fresh = sql`r.new_fields ->> field.value`
  const isHidden = sql`field.value in (select value from json_each(${JSON.stringify(hidden)}))`
  const shown = (value: SQL) => sql`case when ${isHidden} then null
    when length(${value}) > ${SHOWN_CHARACTERS} then substr(${value}, 1, ${SHOWN_CHARACTERS}) || '…'
    else ${value} end`
  return sql`(
    select nullif(json_group_object(field.value, json_array(${shown(old)}, ${shown(fresh)})), '{}')
    from (select ${before} as old_fields, (${after}) as new_fields) r,
      json_each(${JSON.stringify(Object.keys(fields))}) field
    where (${old}) is not (${fresh}))`
}

type Noted = string | number | null

/** The changes of an entry, as people read them. */
export function toChanges(type: string, changes: Record<string, [Noted, Noted]> | null) {
  return Object.entries(changes ?? {}).map(
    ([field, [before, after]]): FieldChange => ({
      field,
      before: toText(type, field, before),
      after: toText(type, field, after),
    }),
  )
}

function toText(type: string, field: string, value: Noted): string | null {
  if (value === null) return null
  if (OBJECTS[type]?.fields[field]?.dataType === "boolean") return value === 1 ? "yes" : "no"
  if (field.endsWith("At") && typeof value === "number") return new Date(value).toISOString()
  return String(value)
}
