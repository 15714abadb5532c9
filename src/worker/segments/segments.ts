import { and, eq, inArray, isNull, notExists, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { campaigns } from "../campaigns/table.ts"
import { contactBooks } from "../contacts/table.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, conflict, orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { refuseUse, selectUse } from "../sequences/uses.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type * as contract from "./contract.ts"
import type { Segment } from "./contract.ts"
import { countSoon, needsCount, START_COUNT } from "./count.ts"
import { type SegmentRow, segments } from "./table.ts"

const NOUN = "Segment"

export async function createSegment(
  ctx: Ctx,
  { bookId, name, filter }: InputOf<typeof contract.createSegment>["json"],
): Promise<Segment> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("segment", now)
  const { created } = await commit(ctx, {
    stored: ctx.db.run(
      insertInto(
        segments,
        {
          teamId: team.id,
          id,
          bookId,
          name,
          createdAt: now,
          updatedAt: now,
          filter: JSON.stringify(filter),
          countDueAt: now,
        },
        sql`where exists (select 1 from ${contactBooks}
          where ${contactBooks.teamId} = ${team.id} and ${contactBooks.id} = ${bookId})`,
      ),
    ),
    audit: await auditEntry(ctx, "segments.create", { id, label: name }),
    created: ctx.db.select().from(segments).where(isSegment(ctx, id)),
  })
  const [row] = created
  if (!row) throw new ApiError("validation_error", "Contact book not found.", { field: "bookId" })
  countSoon(ctx, row)
  return row
}

export const listSegments = (
  ctx: Ctx,
  { bookId, ...query }: InputOf<typeof contract.listSegments>["query"] & PageQuery,
): Promise<Page<Segment>> =>
  listRecords(
    ctx,
    segments,
    "segment",
    query,
    bookId === undefined ? undefined : eq(segments.bookId, bookId),
  )

export async function getSegment(ctx: Ctx, id: string): Promise<Segment> {
  const [[row]] = await ctx.batch([ctx.db.select().from(segments).where(isSegment(ctx, id))])
  const segment = orNotFound(row, NOUN)
  if (needsCount(ctx, segment)) countSoon(ctx, segment)
  return segment
}

export async function updateSegment(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateSegment>["json"],
): Promise<Segment> {
  const { filter } = changes
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(segments)
      .set({
        ...changes,
        // A count that goes on knows by it that the filter is another.
        updatedAt: sql`max(${ctx.now()}, ${segments.updatedAt} + 1)`,
        ...(filter && {
          contactCount: null,
          eligibleCount: null,
          countedAt: null,
          ...START_COUNT(ctx.now()),
        }),
      })
      .where(isSegment(ctx, id))
      .returning(),
    audit: await auditEntry(ctx, "segments.update", { id }),
  })
  const segment = orNotFound(updated[0], NOUN)
  if (filter) countSoon(ctx, segment)
  return segment
}

/** Refused while a campaign or a sequence still needs it. Afterwards a draft with it cannot be sent. */
export async function deleteSegment(ctx: Ctx, id: string): Promise<undefined> {
  const isUsed = and(
    eq(campaigns.teamId, ctx.team),
    inArray(campaigns.status, ["scheduled", "sending"]),
    eq(campaigns.segmentId, id),
    isNull(campaigns.deletedAt),
  )
  const use = selectUse(ctx, id)
  const { deleted, used, found } = await commit(ctx, {
    deleted: ctx.db
      .delete(segments)
      .where(
        and(
          isSegment(ctx, id),
          sql`not exists (select 1 from ${campaigns} where ${isUsed})`,
          notExists(use),
        ),
      )
      .returning({ id: segments.id }),
    audit: await auditEntry(ctx, "segments.remove", { id }),
    used: use,
    found: ctx.db.select({ id: segments.id }).from(segments).where(isSegment(ctx, id)),
  })
  refuseUse(used[0])
  if (found.length > 0) throw conflict("A campaign to this segment is scheduled or being sent.")
  orNotFound(deleted[0], NOUN)
}

export const isSegment = (ctx: Pick<Ctx, "team">, id: string) =>
  and(eq(segments.teamId, ctx.team), eq(segments.id, id))

export const segmentOrNotFound = (row: SegmentRow | undefined): SegmentRow => orNotFound(row, NOUN)
