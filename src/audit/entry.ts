import { bind, type Statement } from "../db/statement.ts"
import { newId } from "../lib/id.ts"
import type { ACTOR_TYPES } from "./contract.ts"

export interface Actor {
  type: (typeof ACTOR_TYPES)[number]
  id: string | null
  name: string | null
}

/** An entry to add to the audit log. */
export interface Change {
  teamId: string
  actor: Actor
  action: string
  objectId: string | null
  label: string | null
}

const MAX_LABEL_CHARACTERS = 320

const COLUMNS = "team_id, id, at, actor_type, actor_id, actor_name, action, object_id, label"

/** Notes a change that the same batch makes. */
export const auditStatement = (change: Change, now: number): Statement => ({
  sql: `insert into audit_log (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  values: valuesOf(change, newId("auditEntry", now), now),
})

/** Notes a change once, if the statement before it in the batch has changed a row. */
export function openNote(d1: D1Database, now: number) {
  const id = newId("auditEntry", now)
  const sql = `insert into audit_log (${COLUMNS})
    select ?, ?, ?, ?, ?, ?, ?, ?, ? where changes() > 0 on conflict do nothing`
  return (change: Change) => bind(d1, { sql, values: valuesOf(change, id, now) })
}

const valuesOf = (change: Change, id: string, now: number) => [
  change.teamId,
  id,
  now,
  change.actor.type,
  change.actor.id,
  change.actor.name,
  change.action,
  change.objectId,
  change.label?.slice(0, MAX_LABEL_CHARACTERS) ?? null,
]
