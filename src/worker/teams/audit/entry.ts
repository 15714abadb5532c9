import { type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import type { Caller, Ctx } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { afterCommit } from "../../platform/db/commit.ts"
import { DIRECTORY, databaseNumber } from "../../platform/db/databases.ts"
import type { ACTOR_TYPES } from "./contract.ts"
import { moveAuditEntries } from "./move-entries.ts"
import { auditLog } from "./table.ts"

interface Actor {
  type: (typeof ACTOR_TYPES)[number]
  id: string | null
  name: string | null
}

export const userActor = ({ id, name }: { id: string; name: string }): Actor => ({
  type: "user",
  id,
  name,
})

const actorOf = ({ key, session }: Caller): Actor =>
  session ? userActor(session.user) : { type: "key", id: key?.id ?? null, name: key?.name ?? null }

interface Change {
  teamId: string
  actor: Actor
  action: string
  objectId: string | null
  label: string | null
  changes?: SQL | undefined
}

const MAX_LABEL_CHARACTERS = 320

/** A condition: the statement before in the batch has changed a row. An entry is stored once. */
export const IF_CHANGED = sql`where changes() > 0 on conflict do nothing`

/** For a change that is already stored, or that the batch makes in any case. */
export const ALWAYS = sql``

/** Notes a change that the same batch makes. */
export const insertEntry = (
  { teamId, actor, action, objectId, label, changes }: Change,
  now: number,
  condition = ALWAYS,
): SQL =>
  insertInto(
    auditLog,
    {
      teamId,
      id: newId("auditEntry", now),
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

/** The object of an entry: by default the one that the path names, with its name before the call. */
interface Named {
  id?: string | null | undefined
  /** Never a secret. */
  label?: string | null | undefined
}

/**
 * For `commit`: notes who makes a change, in the batch that makes it. By default it follows the
 * statement of the change, and notes nothing if that changed no row.
 */
export async function auditEntry(
  ctx: Ctx,
  action: string,
  { id = ctx.audited?.before?.id ?? null, label = ctx.audited?.before?.label ?? null }: Named = {},
  condition = IF_CHANGED,
) {
  const caller = await ctx.caller()
  const teamId = caller.team.id
  const changes = ctx.audited?.changes(teamId, id)
  const change = { teamId, actor: actorOf(caller), action, objectId: id, label, changes }
  return afterCommit(ctx.db.run(insertEntry(change, ctx.now(), condition)), (work) =>
    isElsewhere(ctx) ? moveAuditEntries(work) : undefined,
  )
}

/** The batch is in the directory, and the team is not. */
const isElsewhere = ({ env, db, directory }: Ctx) =>
  db === directory && databaseNumber(env) !== DIRECTORY
