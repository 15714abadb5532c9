import { and, eq, isNull, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { assertMaySendFrom } from "../access/may-send-from.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { ApiError, conflict } from "../platform/http/errors.ts"
import { isInRange, listLargeRecords, pageOrder } from "../platform/http/list.ts"
import { type Page, type PageQuery, toPage } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { composeSteps, readSender, refuseUnknownTopics, storeBodies } from "./compose.ts"
import type * as contract from "./contract.ts"
import { MAX_SEQUENCES, type Sequence } from "./contract.ts"
import type { listSequenceRows as listRows } from "./dashboard-contract.ts"
import { changedKeys } from "./definition/flow.ts"
import { allSteps } from "./definition/steps-contract.ts"
import { freezeVersion } from "./freeze.ts"
import { type SequenceRow, sequences, type Wake } from "./table.ts"
import { isSequence, selectSequence, sequenceOrNotFound, toSequence } from "./view.ts"

export async function createSequence(
  ctx: Ctx,
  { from, ...input }: InputOf<typeof contract.createSequence>["json"],
): Promise<Sequence> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("sequence", now)
  const row = { ...input, id, sender: from, teamId: team.id }
  await readSender(ctx, row)
  await refuseUnknownTopics(ctx, row)
  await assertMaySendFrom(ctx, row.domainId)
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  const { created } = await commit(ctx, {
    stored: ctx.db.run(
      insertInto(
        sequences,
        {
          teamId: team.id,
          id,
          bookId: row.bookId,
          name: row.name,
          status: "draft",
          domainId: row.domainId,
          topicId: row.topicId,
          entry: row.entry,
          sender: json(row.sender),
          replyTo: json(row.replyTo),
          trigger: json(row.trigger),
          steps: json(row.steps),
          goal: json(row.goal),
          endOnReply: Number(row.endOnReply),
          window: json(row.window),
          createdAt: now,
          updatedAt: now,
        },
        sql`where (select count(*) from ${sequences}
          where ${sequences.teamId} = ${team.id} and ${sequences.deletedAt} is null) < ${MAX_SEQUENCES}`,
      ),
    ),
    audit: await auditEntry(ctx, "sequences.create", { id, label: row.name }),
    created: selectSequence(ctx, team.id, id),
  })
  if (!created[0]) throw conflict(`A team has at most ${MAX_SEQUENCES} sequences.`)
  return toSequence(created[0])
}

export async function listSequences(
  ctx: Ctx,
  { status, ...query }: InputOf<typeof contract.listSequences>["query"] & PageQuery,
): Promise<Page<Sequence>> {
  const large = { steps: sequences.steps }
  const page = await listLargeRecords(ctx, sequences, "sequence", query, large, isShown(status))
  return { ...page, data: page.data.map(toSequence) }
}

const isShown = (status: SequenceRow["status"] | undefined) =>
  and(isNull(sequences.deletedAt), status === undefined ? undefined : eq(sequences.status, status))

/** For lists that are read again and again: without steps. */
export async function listSequenceRows(
  ctx: Ctx,
  { status, ...query }: InputOf<typeof contract.listSequences>["query"] & PageQuery,
): Promise<OutputOf<typeof listRows>> {
  const { id, name, updatedAt, entered, finished, ended } = sequences
  const active = sql<number>`${entered} - ${finished} - ${ended}`.as("active")
  const [rows] = await ctx.batch([
    ctx.db
      .select({
        ...{ id, name, status: sequences.status, updatedAt },
        counts: { entered, active, finished, ended },
      })
      .from(sequences)
      .where(
        and(
          eq(sequences.teamId, ctx.team),
          isShown(status),
          isInRange(sequences.id, "sequence", query),
        ),
      )
      .orderBy(pageOrder(sequences.id, query))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function getSequence(ctx: Ctx, id: string): Promise<Sequence> {
  const [[row]] = await ctx.batch([selectSequence(ctx, ctx.team, id)])
  return toSequence(sequenceOrNotFound(row))
}

/** A version that people go through has its bodies frozen; runs that the change reaches are looked at again. */
export async function updateSequence(
  ctx: Ctx,
  id: string,
  { version, from, ...changes }: InputOf<typeof contract.updateSequence>["json"],
): Promise<Sequence> {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([selectSequence(ctx, team.id, id)])
  const old = sequenceOrNotFound(row)
  if (old.status === "archived") throw conflict("An archived sequence can no longer be changed.")
  if (old.version !== version) throw stale(old.version)
  const changed: SequenceRow = {
    ...(Object.assign({ ...old }, changes) as SequenceRow),
    ...(from && { sender: from }),
    version: version + 1,
    updatedAt: ctx.now(),
  }
  const sender = await readSender(ctx, changed)
  if (changes.steps) await refuseUnknownTopics(ctx, changed)
  await assertMaySendFrom(ctx, changed.domainId)
  const isLive = old.status !== "draft"
  if (isLive && changed.steps.length === 0) throw conflict("A sequence that runs has a step.")
  const bodies = isLive ? await storeBodies(ctx, old, await composeSteps(ctx, changed, sender)) : []
  const isSame = and(isSequence(team.id, id), eq(sequences.version, version))
  const restarts = JSON.stringify(changed.trigger) !== JSON.stringify(old.trigger)
  const { updated, current } = await commit(ctx, {
    frozen: isLive ? freezeVersion(ctx, changed, bodies, isSame) : [],
    updated: ctx.db
      .update(sequences)
      .set({
        ...changes,
        ...(from && { sender: from }),
        version: changed.version,
        updatedAt: changed.updatedAt,
        ...(isLive && { wake: wakeFor(old, changed), lookAt: ctx.now() }),
        ...(restarts && { segmentCursor: null, segmentSince: null }),
      })
      .where(isSame)
      .returning(),
    audit: await auditEntry(ctx, "sequences.update", { id }),
    current: selectSequence(ctx, team.id, id),
  })
  if (!updated[0]) throw stale(sequenceOrNotFound(current[0]).version)
  return toSequence(updated[0])
}

const stale = (current: number) =>
  new ApiError("conflict", "The sequence has changed since.", { version: current })

/** Runs that an earlier walk has not reached yet stay among them. */
function wakeFor(old: SequenceRow, changed: SequenceRow): Wake {
  const reachesAll = (["window", "goal", "endOnReply"] as const).some(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(changed[field]),
  )
  const keys = reachesAll
    ? allSteps(old.steps).map(({ key }) => key)
    : changedKeys(old.steps, changed.steps)
  return {
    cursor: "",
    keys: [...new Set([...(old.wake?.keys ?? []), ...keys])],
    held: old.wake?.held ?? false,
  }
}

/** Refused while people go through it. The sweep deletes what it has. */
export async function deleteSequence(ctx: Ctx, id: string): Promise<undefined> {
  const { deleted, found } = await commit(ctx, {
    deleted: ctx.db
      .update(sequences)
      .set({ deletedAt: ctx.now(), lookAt: ctx.now() })
      .where(
        and(
          isSequence(ctx.team, id),
          isNull(sequences.deletedAt),
          sql`${sequences.status} in ('draft', 'archived')`,
        ),
      )
      .returning({ id: sequences.id }),
    audit: await auditEntry(ctx, "sequences.remove", { id }),
    found: selectSequence(ctx, ctx.team, id),
  })
  if (deleted.length > 0) return
  sequenceOrNotFound(found[0])
  throw conflict("A sequence is archived before it is deleted.")
}
