import { type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { bind, statementOf } from "../../platform/db/statement.ts"
import type { ACTOR_TYPES } from "./contract.ts"
import { auditLog } from "./table.ts"

export interface Actor {
  type: (typeof ACTOR_TYPES)[number]
  id: string | null
  name: string | null
}

export const userActor = ({ id, name }: { id: string; name: string }): Actor => ({
  type: "user",
  id,
  name,
})

interface Change {
  teamId: string
  actor: Actor
  action: string
  objectId: string | null
  label: string | null
  changes?: SQL | undefined
}

const MAX_LABEL_CHARACTERS = 320

/** Notes a change that the same batch makes. */
export const insertEntry = (
  { teamId, actor, action, objectId, label, changes }: Change,
  now: number,
  { id = newId("auditEntry", now), condition = sql`` }: { id?: string; condition?: SQL } = {},
): SQL =>
  insertInto(
    auditLog,
    {
      teamId,
      id,
      at: now,
      actorType: actor.type,
      actorId: actor.id,
      actorName: actor.name,
      action,
      objectId,
      label: label?.slice(0, MAX_LABEL_CHARACTERS) ?? null,
      ...(changes && { changes }),
    },
    condition,
  )

/** The statement before in the batch has changed a row, and the change is not noted yet. */
export const IF_CHANGED = sql`where changes() > 0 on conflict do nothing`

/** The same for an entry with changes: the last statement that has changed fields counts. */
const WITH_CHANGES = sql`where changes() > 0 on conflict do update set changes = excluded.changes
  where excluded.changes is not null and excluded.changes is not audit_log.changes`

/** Notes a change once, however many statements of the batch make it. */
export function createNote(d1: D1Database, id: string, now: number) {
  return (change: Change) => {
    const condition = change.changes ? WITH_CHANGES : IF_CHANGED
    return bind(d1, statementOf(insertEntry(change, now, { id, condition })))
  }
}
