import { eq, sql } from "drizzle-orm"
import { contactBooks, contacts } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import type { SegmentFilter } from "../../segments/filter.ts"
import { keepMembers } from "../../segments/members.ts"
import type { MergeContact } from "../blocks/merge.ts"
import type { CampaignRef } from "../messages.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { type CampaignWithRun, isCampaign, isRun } from "../view.ts"
import { itsTopic, wantsTopic } from "./wants-topic.ts"

const CONTACTS_A_BATCH = 100

/** Few contacts may want a topic: a page looks at no more than these. */
const CONTACTS_A_SCAN = 1_000

export interface AudienceMember extends Omit<MergeContact, "properties"> {
  id: string
  properties: string
}

/** Newest first: contacts that join the book from now on come after the cursor, and get no email. */
const fromBook = ({ teamId, campaignId }: CampaignRef, condition = sql`true`) => sql`
  from ${campaigns}
  cross join ${campaignRuns} on ${isRun(teamId, campaignId)}
  cross join contact_books on ${contactBooks.teamId} = ${campaigns.teamId}
    and ${contactBooks.id} = ${campaigns.bookId}
  ${itsTopic(campaigns.teamId, campaigns.topicId)}
  cross join contacts on ${contacts.teamId} = ${campaigns.teamId}
    and ${contacts.bookId} = ${campaigns.bookId}
    and ${contacts.id} < coalesce(${campaignRuns.cursor}, '~')
  where ${isCampaign(teamId, campaignId)} and ${eq(campaigns.status, "sending")} and ${condition}
  order by ${contacts.id} desc`

const isBounded = sql`${campaigns.topicId} is not null`

/** The contacts of a segment are read by `readSegmentPage`. */
const hasSegment = sql`${campaignRuns.segmentFilter} is not null`

const READER = sql`${contacts.id}, ${contacts.email}, ${contacts.firstName} as firstName,
  ${contacts.lastName} as lastName,
  ${contacts.properties}, ${contacts.createdAt} as createdAt,
  ${contacts.subscribed} and ${wantsTopic(campaigns.topicId)} as isReader`

/** SQLite stops to read the inner query when the outer one has its rows. */
export const selectAudience = (work: Work, ref: CampaignRef) =>
  work.db.all<AudienceMember>(sql`
    select id, email, firstName, lastName, properties from (
      select ${READER}
      ${fromBook(ref, sql`not ${hasSegment}`)}
      limit coalesce((select iif(${isBounded}, ${CONTACTS_A_SCAN}, -1) from ${campaigns}
        where ${isCampaign(ref.teamId, ref.campaignId)}), 0)
    ) where isReader limit +${CONTACTS_A_BATCH}`)

/** The contact at which a page of `selectAudience` ended without having seen the whole book. */
export const selectLastSeen = (work: Work, ref: CampaignRef) =>
  work.db.all<{ id: string }>(sql`
    select ${contacts.id} ${fromBook(
      ref,
      sql`not ${hasSegment}
      and ${isBounded}`,
    )} limit 1 offset ${CONTACTS_A_SCAN - 1}`)

interface SegmentCandidate extends AudienceMember {
  createdAt: number
  isReader: 0 | 1
}

const SEGMENT_A_SCAN = 500

/** The next contacts who match the segment, and the last contact that the page has looked at. */
export async function readSegmentPage(work: Work, ref: CampaignRef, filter: SegmentFilter) {
  const read = await work.db.all<SegmentCandidate>(sql`
    select ${READER} ${fromBook(ref, hasSegment)} limit +${SEGMENT_A_SCAN}`)
  const readers = read
    .filter(({ isReader }) => isReader)
    .map((one) => ({ ...one, subscribed: true, properties: JSON.parse(one.properties) }))
  const members = new Set(
    (await keepMembers(work, ref.teamId, filter, readers)).map(({ id }) => id),
  )
  return {
    audience: read.filter(({ id }) => members.has(id)).slice(0, CONTACTS_A_BATCH),
    lastSeen: read.length === SEGMENT_A_SCAN ? read.at(-1) : undefined,
  }
}

/** Goes on behind contacts of whom nobody gets the campaign. */
export async function skipTo(work: Work, row: CampaignWithRun, cursor: string): Promise<boolean> {
  await work.db
    .update(campaignRuns)
    .set({ cursor })
    .where(sql`${isRun(row.teamId, row.id)} and ${campaignRuns.cursor} is ${row.cursor}`)
  return true
}
