import { and, eq } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import {
  type Candidate,
  FIRST_READ,
  keepMembers,
  type Place,
  placeAfter,
  selectCandidates,
} from "../segments/members.ts"
import { segments } from "../segments/table.ts"

/** A larger book answers the segment's own count, which knows no topic. */
const PAGES_READ = 100

/** How many contacts of a segment a campaign would be sent to. `mayGet` decides on each of them. */
export async function countSegmentAudience(
  ctx: Ctx,
  segmentId: string,
  mayGet: (contact: { email: string; topics: Record<string, boolean> }) => boolean,
): Promise<number> {
  const { team } = await ctx.caller()
  const [segment] = await ctx.db
    .select()
    .from(segments)
    .where(and(eq(segments.teamId, team.id), eq(segments.id, segmentId)))
  if (!segment) return 0
  const { bookId, filter } = segment
  let eligible = 0
  let place: Place | undefined = { below: undefined, size: FIRST_READ }
  for (let pages = 0; place && pages < PAGES_READ; pages++) {
    const candidates: Candidate[] = await selectCandidates(ctx, team.id, bookId, place)
    const willing = candidates.filter((one) => one.subscribed && !one.isSuppressed && mayGet(one))
    eligible += (await keepMembers(ctx, team.id, filter, willing)).length
    place = placeAfter(candidates, place)
  }
  return place ? (segment.eligibleCount ?? eligible) : eligible
}
