import { and, inArray, lte, sql } from "drizzle-orm"
import { openCampaignMail, selectCampaignMail, type Withdrawn } from "../campaigns/mail.ts"
import { isLarge } from "../db/overflow.ts"
import type { Work } from "../env.ts"
import type { Provider } from "../providers/provider.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import type { Tracked } from "../tracking/rewrite.ts"
import { type EmailContent, loadContent } from "./content.ts"
import type { EmailRef } from "./queue.ts"
import { type EmailRow, emailContents, emails } from "./table.ts"

/** How long nobody else may claim an email. */
export const LEASE_MS = 45_000

/** An email that one consumer has, with all it needs to be handed over. */
export interface Claimed {
  email: EmailRow
  /** It is held in memory alone. */
  isLarge: boolean
  load(): Promise<EmailContent | Withdrawn | null>
  blocked: Blocked[]
  tracked: Tracked
}

/**
 * One consumer has an email: it waited its turn, and nobody else holds its lease. A lease lasts
 * until the provider's own events have told of a message whose answer was lost.
 */
export async function claimEmails(
  work: Work,
  refs: readonly EmailRef[],
  { single, bulk }: Record<"single" | "bulk", Provider>,
): Promise<Claimed[]> {
  if (refs.length === 0) return []
  const now = work.now()
  const lease = sql`iif(campaign_id is null, ${now + leaseMs(single)}, ${now + leaseMs(bulk)})`
  const asked = sql`(select value ->> 'teamId', value ->> 'emailId' from json_each(${JSON.stringify(refs)}))`
  const [claimed, contents, findings, fillings, bodies] = await work.db.batch([
    work.db
      .update(emails)
      .set({
        status: "sending",
        attempts: sql`${emails.attempts} + 1`,
        unanswered: sql`${emails.unanswered} + 1`,
        notBefore: lease,
        dueAt: lease,
      })
      .where(
        and(
          sql`(team_id, id) in ${asked}`,
          inArray(emails.status, ["queued", "scheduled", "sending"]),
          lte(emails.notBefore, now),
        ),
      )
      .returning(),
    work.db.select().from(emailContents).where(sql`(team_id, email_id) in ${asked}`),
    work.db.all<{ id: string; blocked: string; opens: 0 | 1; clicks: 0 | 1 }>(sql`
      select e.id, coalesce(e.track_opens, t.track_opens) as opens,
        coalesce(e.track_clicks, t.track_clicks) as clicks, ${blockingSuppressions({
          team: sql`e.team_id`,
          addresses: sql`select value ->> 'address' as address, null as erased from json_each(e.recipients)`,
          override: sql`e.override_suppression`,
        })} as blocked
      from emails e join teams t on t.id = e.team_id
      where (e.team_id, e.id) in ${asked} and e.status = 'sending'`),
    ...selectCampaignMail(work, asked),
  ])
  const loadCampaignMail = openCampaignMail(work, fillings, bodies)
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const findingOf = new Map(findings.map((finding) => [finding.id, finding]))
  return claimed.map((email) => {
    const { blocked = "[]", opens, clicks } = findingOf.get(email.id) ?? {}
    const stored = contentOf.get(email.id)
    return {
      email,
      isLarge: stored !== undefined && isLarge(stored),
      load: () =>
        email.campaignId === null ? loadContent(work.env, stored) : loadCampaignMail(email),
      blocked: JSON.parse(blocked) as Blocked[],
      tracked: { opens: Boolean(opens), clicks: Boolean(clicks) },
    }
  })
}

const leaseMs = ({ settleMs = 0 }: Provider) => LEASE_MS + settleMs
