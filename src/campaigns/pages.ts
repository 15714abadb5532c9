import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { dispatchEmails } from "../emails/dispatch.ts"
import type { Work } from "../env.ts"
import { inRounds } from "../lib/rounds.ts"
import { lookAgainAfter, PICKED_UP_WITHIN_MS } from "../queues/look-again.ts"
import { enqueueAll } from "../queues/messages.ts"
import { campaignPages } from "./table.ts"
import type { CampaignRef } from "./view.ts"

/** The emails that one step of the fan-out wrote, on their way to the provider. */
export interface CampaignPage extends CampaignRef {
  /** The last of its contacts. */
  pageId: string
  emailIds: string[]
}

const ROUNDS = { rounds: 20, size: 50 }

/** Part of the fan-out's batch: `written` has the page's emails as `e`. */
export const storePage = (
  work: Work,
  { teamId, campaignId, pageId }: Omit<CampaignPage, "emailIds">,
  written: SQL,
): Query =>
  work.db.run(sql`
    insert into campaign_pages (team_id, campaign_id, id, emails, created_at, due_at)
    select ${teamId}, ${campaignId}, ${pageId}, json_group_array(e.id), ${work.now()},
      ${work.now() + PICKED_UP_WITHIN_MS}
    from ${written} having count(*) > 0`)

export const enqueuePages = (work: Work, pages: readonly CampaignPage[]): Promise<void> =>
  enqueueAll(
    work.env,
    pages.map((page) => ({ body: { kind: "sends-bulk", page }, delaySeconds: 0 })),
  )

/** Hands over what nobody has yet; the page is done once each of its emails was tried. */
export async function dispatchPage(
  work: Work,
  page: CampaignPage,
  sending: { until: number } | { unpaced: true },
): Promise<void> {
  const { teamId, campaignId, pageId, emailIds } = page
  const isPage = and(
    eq(campaignPages.teamId, teamId),
    eq(campaignPages.campaignId, campaignId),
    eq(campaignPages.id, pageId),
  )
  const left = await dispatchEmails(
    work,
    emailIds.map((emailId) => ({ teamId, emailId })),
    { bulk: true, ...sending, afterLast: [work.db.delete(campaignPages).where(isPage)] },
  )
  if (left.length > 0) {
    await enqueuePages(work, [{ ...page, emailIds: left.map(({ emailId }) => emailId) }])
  }
}

/** Cancels the emails of one page of a cancelled campaign, before their turn; says whether one was left. */
export async function cancelPage(work: Work, { teamId, campaignId }: CampaignRef) {
  const [page] = await work.db
    .select({ pageId: campaignPages.id, emailIds: campaignPages.emails })
    .from(campaignPages)
    .where(and(eq(campaignPages.teamId, teamId), eq(campaignPages.campaignId, campaignId)))
    .limit(1)
  if (!page) return false
  await dispatchPage(work, { teamId, campaignId, ...page }, { unpaced: true })
  return true
}

/** Pages whose message was lost, or whose consumer died. */
export const sweepPages = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await takeDue(work, size)
    const pages = due.map(({ emails, ...page }) => ({ ...page, emailIds: JSON.parse(emails) }))
    await enqueuePages(work, pages)
    return due.length
  })

const takeDue = (work: Work, size: number) =>
  work.db.all<Omit<CampaignPage, "emailIds"> & { emails: string }>(sql`
    update campaign_pages
    set due_at = ${work.now()} + ${lookAgainAfter(work.now(), sql`created_at`)}
    where (team_id, campaign_id, id) in (
      select team_id, campaign_id, id from campaign_pages
      where due_at <= ${work.now()} order by due_at limit ${size}
    )
    returning team_id as teamId, campaign_id as campaignId, id as pageId, emails`)
