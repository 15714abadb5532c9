import { and, eq, inArray } from "drizzle-orm"
import { domainAndParents, domainOf } from "../../lib/address.ts"
import { contactBooks } from "../contacts/table.ts"
import { domains } from "../domains/table.ts"
import type { Work } from "../platform/context.ts"
import { ApiError, notFound } from "../platform/http/errors.ts"
import { segments } from "../segments/table.ts"
import { selectSender } from "../teams/teams.ts"
import { selectKnown } from "../topics/known.ts"
import { layouts } from "./layouts/table.ts"
import type { CampaignRow } from "./view.ts"

type Referring = Pick<
  CampaignRow,
  "bookId" | "segmentId" | "topicId" | "domainId" | "sender" | "headerLayoutId" | "footerLayoutId"
>

/** Reads the records that a campaign refers to. Refuses references that it cannot be sent with. */
export async function readReferences(work: Work, teamId: string, campaign: Referring) {
  const { bookId, segmentId, topicId, domainId, sender, headerLayoutId, footerLayoutId } = campaign
  const layoutIds = [headerLayoutId, footerLayoutId].filter((id) => id !== null)
  const [[book], [segment], [topic], [domain], found, [sendingTeam]] = await work.db.batch([
    work.db
      .select({ id: contactBooks.id })
      .from(contactBooks)
      .where(and(eq(contactBooks.teamId, teamId), eq(contactBooks.id, bookId))),
    work.db
      .select({ filter: segments.filter })
      .from(segments)
      .where(
        and(
          eq(segments.teamId, teamId),
          eq(segments.id, segmentId ?? ""),
          eq(segments.bookId, bookId),
        ),
      ),
    selectKnown(work, teamId, topicId === null ? [] : [topicId]),
    work.db
      .select()
      .from(domains)
      .where(and(eq(domains.teamId, teamId), eq(domains.id, domainId))),
    work.db
      .select()
      .from(layouts)
      .where(and(eq(layouts.teamId, teamId), inArray(layouts.id, layoutIds))),
    selectSender(work, teamId),
  ])
  const layoutOf = (field: "headerLayoutId" | "footerLayoutId") => {
    const layout = found.find(({ id }) => id === campaign[field])
    if (campaign[field] !== null && !layout) throw unknown(field, "Layout")
    return layout
  }
  if (!book) throw unknown("bookId", "Contact book")
  if (segmentId !== null && !segment) throw unknown("segmentId", "Segment of this book")
  if (topicId !== null && !topic) throw unknown("topicId", "Topic")
  if (!domain) throw unknown("domainId", "Domain")
  if (!sendingTeam) throw notFound("Team")
  const references = {
    header: layoutOf("headerLayoutId"),
    footer: layoutOf("footerLayoutId"),
    team: sendingTeam,
    segmentFilter: segment?.filter ?? null,
  }
  if (domain.status !== "verified") throw notVerified("The sending domain is not verified.")
  if (!domainAndParents(domainOf(sender.address)).includes(domain.name)) {
    throw notVerified("'from' is not an address of the sending domain.")
  }
  return references
}

const unknown = (field: string, noun: string) =>
  new ApiError("validation_error", `${noun} not found.`, { field })

const notVerified = (message: string) => new ApiError("domain_not_verified", message)
