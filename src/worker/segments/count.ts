import { and, eq, lte, sql } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { MINUTE_MS, SECOND_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { type Candidate, FIRST_READ, keepMembers, placeAfter, selectCandidates } from "./members.ts"
import { type SegmentRow, segments } from "./table.ts"

/** A count is as old as this at most when a segment is read twice. */
const FRESH_MS = 10 * MINUTE_MS
/** A call's own count: most books end in it. */
export const PAGES_A_CALL = 10
const PAGES_A_SWEEP = 100
const SEGMENTS_A_SWEEP = 20
const SWEEP_WITHIN_MS = 20 * SECOND_MS
/** Another consumer may still be counting. */
const RESUME_AFTER_MS = 2 * MINUTE_MS

export const START_COUNT = (dueAt: number) =>
  ({ countDueAt: dueAt, countCursor: null, found: 0, foundEligible: 0 }) as const

/** Whether the count is old, and nobody counts. */
export const needsCount = ({ now }: Work, { countedAt, countDueAt }: SegmentRow) =>
  countDueAt === null && now() - (countedAt ?? 0) > FRESH_MS

/** Counts behind the reply. The sweep goes on with a large book. */
export function countSoon(work: Work, segment: SegmentRow): void {
  const start = async () => {
    const [begun] = await work.db
      .update(segments)
      .set(START_COUNT(work.now() + RESUME_AFTER_MS))
      .where(and(isRow(segment), sql`${segments.countDueAt} is ${segment.countDueAt}`))
      .returning()
    if (begun) await countPages(work, begun, PAGES_A_CALL)
  }
  work.defer(start().catch((error) => logError(error, { segment: segment.id })))
}

/** Goes on with counts that broke off, those of large books, and new ones. */
export async function sweepSegments(work: Work): Promise<void> {
  const until = work.now() + SWEEP_WITHIN_MS
  let pages = PAGES_A_SWEEP
  const due = await work.db
    .select()
    .from(segments)
    .where(lte(segments.countDueAt, work.now()))
    .orderBy(segments.countDueAt)
    .limit(SEGMENTS_A_SWEEP)
  for (const [index, segment] of due.entries()) {
    if (work.now() > until) return
    const share = Math.ceil(pages / (due.length - index))
    pages -= await countPages(work, segment, share)
  }
}

const isRow = ({ teamId, id }: SegmentRow) => and(eq(segments.teamId, teamId), eq(segments.id, id))

/**
 * Counts some pages of the book. Each page is added only where the one before ended, so two consumers
 * count no contact twice. Answers how many pages it read.
 */
async function countPages(work: Work, segment: SegmentRow, most: number): Promise<number> {
  let pages = 0
  let turn: Turn | undefined = { at: segment, size: FIRST_READ }
  for (; turn && pages < most; pages++) turn = await countPage(work, turn, pages + 1 < most)
  return pages
}

/** A campaign would mail it. */
export const isEligible = ({ subscribed, isSuppressed }: Candidate) => subscribed && !isSuppressed

interface Turn {
  at: SegmentRow
  /** Contacts that it reads. */
  size: number
}

/** Answers the next turn, or nothing after the last page. */
async function countPage(
  work: Work,
  { at, size }: Turn,
  goesOn: boolean,
): Promise<Turn | undefined> {
  const { teamId, bookId, filter, countCursor } = at
  const place = { below: countCursor ?? undefined, size }
  const candidates = await selectCandidates(work, teamId, bookId, place)
  const members = await keepMembers(work, teamId, filter, candidates)
  const found = at.found + members.length
  const foundEligible = at.foundEligible + members.filter(isEligible).length
  const next = placeAfter(candidates, place)
  const isNext = and(
    isRow(at),
    eq(segments.updatedAt, at.updatedAt),
    sql`${segments.countCursor} is ${countCursor} and ${segments.countDueAt} is not null`,
  )
  const [moved] = await work.db
    .update(segments)
    .set(
      next
        ? {
            countCursor: next.below,
            found,
            foundEligible,
            countDueAt: work.now() + (goesOn ? RESUME_AFTER_MS : 0),
          }
        : {
            contactCount: found,
            eligibleCount: foundEligible,
            countedAt: work.now(),
            countDueAt: null,
          },
    )
    .where(isNext)
    .returning()
  return next && moved && { at: moved, size: next.size }
}
