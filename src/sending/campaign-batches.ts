import { and, eq, type SQL, sql } from "drizzle-orm"
import { campaignPages } from "../campaigns/table.ts"
import type { Query } from "../db/client.ts"
import { enqueueSends } from "../emails/queue.ts"
import type { Work } from "../env.ts"
import type { CampaignRef } from "../queues/messages.ts"
import { dispatchEmails } from "./dispatch.ts"

/** Part of the fan-out's batch: `written` has the page's emails as `e`. */
export const storePage = (
  work: Work,
  { teamId, campaignId, pageId }: CampaignRef & { pageId: string },
  written: SQL,
): Query =>
  work.db.run(sql`
    insert into campaign_pages (team_id, campaign_id, id, emails, created_at, due_at)
    select ${teamId}, ${campaignId}, ${pageId}, json_group_array(e.id), ${work.now()}, ${work.now()}
    from ${written} having count(*) > 0`)

/** Cancels the emails of one page of a cancelled campaign, before their turn; says whether one was left. */
export async function cancelPage(work: Work, { teamId, campaignId }: CampaignRef) {
  const [page] = await work.db
    .select({ id: campaignPages.id, emails: campaignPages.emails })
    .from(campaignPages)
    .where(and(eq(campaignPages.teamId, teamId), eq(campaignPages.campaignId, campaignId)))
    .limit(1)
  if (!page) return false
  const isPage = and(
    eq(campaignPages.teamId, teamId),
    eq(campaignPages.campaignId, campaignId),
    eq(campaignPages.id, page.id),
  )
  await dispatchEmails(
    work,
    page.emails.map((emailId) => ({ teamId, emailId })),
    { bulk: true, unpaced: true, afterLast: [work.db.delete(campaignPages).where(isPage)] },
  )
  return true
}

/** A message while there are pages: consumers take them one after another. */
export async function sweepPages(work: Work): Promise<void> {
  const [page] = await work.db.select({ teamId: campaignPages.teamId }).from(campaignPages).limit(1)
  if (page) await enqueueSends(work, [{ ...page, notBefore: work.now(), bulk: true }])
}
