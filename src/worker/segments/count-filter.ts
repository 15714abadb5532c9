import type { Ctx } from "../platform/context.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { isEligible, PAGES_A_CALL } from "./count.ts"
import type { countFilter as contract } from "./dashboard-contract.ts"
import { FIRST_READ, keepMembers, type Place, placeAfter, selectCandidates } from "./members.ts"

/** Counts within one call, without storing anything. */
export async function countFilter(
  ctx: Ctx,
  { bookId, filter }: InputOf<typeof contract>["json"],
): Promise<OutputOf<typeof contract>> {
  let contactCount = 0
  let eligibleCount = 0
  let place: Place | undefined = { below: undefined, size: FIRST_READ }
  for (let pages = 0; place && pages < PAGES_A_CALL; pages++) {
    const candidates = await selectCandidates(ctx, ctx.team, bookId, place)
    const members = await keepMembers(ctx, ctx.team, filter, candidates)
    contactCount += members.length
    eligibleCount += members.filter(isEligible).length
    place = placeAfter(candidates, place)
  }
  return { contactCount, eligibleCount, more: place !== undefined }
}
