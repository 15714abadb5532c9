import { and, inArray, isNull, sql } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import { assertMaySendFrom } from "../access/may-send-from.ts"
import type { Ctx } from "../platform/context.ts"
import { afterCommit, commit, type Statement } from "../platform/db/commit.ts"
import { conflict } from "../platform/http/errors.ts"
import { enqueueNow } from "../platform/queues/messages.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { composeSteps, readSender, storeBodies } from "./compose.ts"
import type { Sequence } from "./contract.ts"
import { freezeVersion } from "./freeze.ts"
import { RUNS_ARE_DUE } from "./messages.ts"
import type { SequenceStatus } from "./statuses.ts"
import { type SequenceRow, sequences } from "./table.ts"
import { isSequence, selectSequence, sequenceOrNotFound, toSequence } from "./view.ts"

/** A paused one goes on with the bodies that it has. */
export async function activateSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const row = await read(ctx, id)
  if (row.status === "active") return toSequence(row)
  if (row.status === "archived") throw conflict("An archived sequence cannot be activated.")
  if (row.steps.length === 0) throw conflict("A sequence without steps cannot be activated.")
  await assertMaySendFrom(ctx, row.domainId)
  const sender = await readSender(ctx, row)
  const frozen =
    row.status === "draft"
      ? freezeVersion(
          ctx,
          row,
          await storeBodies(ctx, row, await composeSteps(ctx, row, sender)),
          and(isSequence(row.teamId, id), sql`${sequences.version} = ${row.version}`),
        )
      : []
  const set: Move["set"] = {
    status: "active",
    wake: { keys: [], held: false, ...row.wake, cursor: "" },
    lookAt: ctx.now(),
  }
  return move(ctx, row, ["draft", "paused"], { action: "sequences.activate", set, frozen })
}

export async function pauseSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const row = await read(ctx, id)
  if (row.status === "paused") return toSequence(row)
  if (row.status !== "active") throw conflict(`A sequence in status '${row.status}' does not run.`)
  return move(ctx, row, ["active"], { action: "sequences.pause", set: { status: "paused" } })
}

/** The sweep ends its runs. */
export async function archiveSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const row = await read(ctx, id)
  if (row.status === "archived") return toSequence(row)
  const set: Move["set"] = {
    status: "archived",
    wake: { cursor: "", keys: [], held: true },
    lookAt: ctx.now(),
  }
  return move(ctx, row, ["draft", "active", "paused"], { action: "sequences.archive", set })
}

/** The sweep lets its held runs go on. */
export async function resumeSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const row = await read(ctx, id)
  await assertMaySendFrom(ctx, row.domainId)
  if (row.status === "archived") throw conflict("The runs of an archived sequence have ended.")
  const set = {
    wake: { keys: [], ...row.wake, cursor: "", held: true },
    lookAt: ctx.now(),
  }
  return move(ctx, row, [row.status], { action: "sequences.resume", set })
}

async function read(ctx: Ctx, id: string): Promise<SequenceRow> {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([selectSequence(ctx, team.id, id)])
  return sequenceOrNotFound(row)
}

interface Move {
  action: string
  set: SQLiteUpdateSetSource<typeof sequences>
  frozen?: readonly Statement[]
}

/** Another call may have moved it meanwhile: then the reply shows what it is. */
async function move(
  ctx: Ctx,
  { teamId, id, version }: SequenceRow,
  from: readonly SequenceStatus[],
  { action, set, frozen = [] }: Move,
): Promise<Sequence> {
  const { moved, found } = await commit(ctx, {
    frozen,
    moved: afterCommit(
      ctx.db
        .update(sequences)
        .set({ ...set, updatedAt: ctx.now() })
        .where(
          and(
            isSequence(teamId, id),
            isNull(sequences.deletedAt),
            inArray(sequences.status, [...from]),
            sql`${sequences.version} = ${version}`,
          ),
        )
        .returning({ id: sequences.id }),
      (work, moved) => (moved.length > 0 ? enqueueNow(work.env, [RUNS_ARE_DUE]) : undefined),
    ),
    audit: await auditEntry(ctx, action, { id }),
    found: selectSequence(ctx, teamId, id),
  })
  const row = sequenceOrNotFound(found[0])
  if (moved.length === 0 && row.version !== version) {
    throw conflict("The sequence was changed at the same time.")
  }
  return toSequence(row)
}
