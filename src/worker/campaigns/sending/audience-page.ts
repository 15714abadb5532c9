import { eq, sql } from "drizzle-orm"
import { b, c } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import type { MergeContact } from "../blocks/merge.ts"
import type { CampaignRef } from "../messages.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { type CampaignWithRun, isCampaign, isRun } from "../view.ts"
import { itsTopic, wantsTopic } from "./wants-topic.ts"

const CONTACTS_A_BATCH = 100

/** Few contacts may want a topic: a page looks at no more than these. */
export const CONTACTS_A_SCAN = 1_000

export interface AudienceMember extends Omit<MergeContact, "properties"> {
  id: string
  properties: string
}

/** Newest first: contacts that join the book from now on come after the cursor, and get no email. */
const fromBook = ({ teamId, campaignId }: CampaignRef, condition = sql`true`) => sql`
  from ${campaigns}
  cross join ${campaignRuns} on ${isRun(teamId, campaignId)}
  cross join contact_books b on ${b.teamId} = ${campaigns.teamId} and ${b.id} = ${campaigns.bookId}
  ${itsTopic(campaigns.teamId, campaigns.topicId)}
  cross join contacts c on ${c.teamId} = ${campaigns.teamId} and ${c.bookId} = ${campaigns.bookId}
    and ${c.id} < coalesce(${campaignRuns.cursor}, '~')
  where ${isCampaign(teamId, campaignId)} and ${eq(campaigns.status, "sending")} and ${condition}
  order by ${c.id} desc`

const isBounded = sql`${campaigns.topicId} is not null`

/** SQLite stops to read the inner query when the outer one has its rows. */
export const selectAudience = (work: Work, ref: CampaignRef) =>
  work.db.all<AudienceMember>(sql`
    select id, email, firstName, lastName, properties from (
      select ${c.id}, ${c.email}, ${c.firstName} as firstName, ${c.lastName} as lastName,
        ${c.properties}, ${c.subscribed} and ${wantsTopic(campaigns.topicId)} as isReader
      ${fromBook(ref)}
      limit coalesce((select iif(${isBounded}, ${CONTACTS_A_SCAN}, -1) from ${campaigns}
        where ${isCampaign(ref.teamId, ref.campaignId)}), 0)
    ) where isReader limit ${CONTACTS_A_BATCH}`)

/** The contact at which a page of `selectAudience` ended without having seen the whole book. */
export const selectLastSeen = (work: Work, ref: CampaignRef) =>
  work.db.all<{ id: string }>(sql`
    select ${c.id} ${fromBook(ref, isBounded)} limit 1 offset ${CONTACTS_A_SCAN - 1}`)

/** Goes on behind contacts of whom nobody gets the campaign. */
export async function skipTo(work: Work, row: CampaignWithRun, cursor: string): Promise<boolean> {
  await work.db
    .update(campaignRuns)
    .set({ cursor })
    .where(sql`${isRun(row.teamId, row.id)} and ${campaignRuns.cursor} is ${row.cursor}`)
  return true
}
