import { sql } from "drizzle-orm"
import type { Contact } from "../contacts/shapes.ts"
import type { Ctx } from "../platform/context.ts"
import { type Page, type PageQuery, readCursor, writeCursor } from "../platform/http/page.ts"
import { type Candidate, keepMembers, type Place, placeAfter, selectCandidates } from "./members.ts"
import { isSegment, segmentOrNotFound } from "./segments.ts"
import { segments } from "./table.ts"

const READS_A_PAGE = 5
/** The first read looks at this many contacts for each one of the page. */
const FIRST_SHARE = 4

/** Reads on until the page is full, a few thousand contacts at most. */
export async function listSegmentContacts(
  ctx: Ctx,
  id: string,
  { limit, cursor }: PageQuery,
): Promise<Page<Contact>> {
  let place: Place = { below: readCursor("contact", cursor), size: limit * FIRST_SHARE }
  const ofSegment = sql`(select ${segments.bookId} from ${segments} where ${isSegment(ctx, id)})`
  const [[row], read] = await ctx.batch([
    ctx.db.select().from(segments).where(isSegment(ctx, id)),
    selectCandidates(ctx, ctx.team, ofSegment, place),
  ])
  const { bookId, filter } = segmentOrNotFound(row)
  const found: Candidate[] = []
  let candidates = read
  for (let reads = 1; ; reads++) {
    found.push(...(await keepMembers(ctx, ctx.team, filter, candidates)))
    const next = placeAfter(candidates, place)
    const data = found.slice(0, limit)
    if (found.length > limit) return { data, nextCursor: cursorAt(data.at(-1)?.id) }
    if (!next || reads === READS_A_PAGE) return { data, nextCursor: cursorAt(next?.below) }
    place = next
    candidates = await selectCandidates(ctx, ctx.team, bookId, place)
  }
}

const cursorAt = (id: string | undefined) => (id ? writeCursor(id) : null)
