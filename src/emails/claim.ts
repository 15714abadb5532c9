import { and, inArray, lte, type SQL, sql } from "drizzle-orm"
import {
  isGoingOn,
  openCampaignMail,
  selectCampaignMail,
  type Withdrawn,
} from "../campaigns/mail.ts"
import { isLarge } from "../db/overflow.ts"
import type { Work } from "../env.ts"
import { repeat } from "../lib/repeat.ts"
import type { Provider } from "../providers/provider.ts"
import { openTurns } from "../providers/turns.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import type { Tracked } from "../tracking/rewrite.ts"
import { type EmailContent, loadContent } from "./content.ts"
import type { EmailRef } from "./queue.ts"
import { type EmailRow, emailContents, emails } from "./table.ts"

/** How long nobody else may claim an email. */
export const LEASE_MS = 45_000

const GIVE_BACK_WAITS_MS = [100, 400, 1_600]

/** An email that one consumer has, with all it needs to be handed over. */
export interface Claimed {
  email: EmailRow
  /** It is held in memory alone. */
  isLarge: boolean
  load(): Promise<EmailContent | Withdrawn | null>
  blocked: Blocked[]
  tracked: Tracked
}

export interface Claim {
  claims: Claimed[]
  claimedAt: number
  /** Those that the provider's rate left no room for. */
  left: readonly EmailRef[]
  /** Before each message: the provider takes so many a second. */
  awaitTurn(): Promise<void>
}

/**
 * One consumer has an email: it waited its time, and nobody else holds its lease. A lease lasts
 * until the provider's own events have told of a message whose answer was lost.
 */
export async function claimEmails(
  work: Work,
  provider: Provider,
  refs: readonly EmailRef[],
  kind: { bulk: boolean; unpaced: boolean },
): Promise<Claim> {
  const turns = await openTurns(work, provider, { asked: refs.length, ...kind })
  const now = work.now()
  const lease = now + LEASE_MS + (provider.settleMs ?? 0)
  const claim = crypto.randomUUID()
  const asked = sql`(select value ->> 'teamId', value ->> 'emailId'
    from json_each(${JSON.stringify(refs)}) where key < ${turns.room})`
  const claiming = work.db.batch([
    work.db.all<{ room: number; firstTurn: number }>(
      sql`select ${turns.room} as room, ${turns.firstTurn} as firstTurn`,
    ),
    work.db
      .update(emails)
      .set({
        status: "sending",
        attempts: sql`${emails.attempts} + 1`,
        unanswered: sql`${emails.unanswered} + 1`,
        claimedBy: claim,
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
    selectFindings(work, asked),
    ...selectCampaignMail(work, asked),
    turns.take(sql`(select count(*) from emails e
      where (e.team_id, e.id) in ${asked} and e.status = 'sending' and e.not_before = ${lease}
        and ${isGoingOn})`),
  ])
  const [[found], claimed, contents, findings, fillings, bodies] = await claiming.catch(
    async (error) => {
      await giveBack(work, claim, refs).catch(() => {})
      throw error
    },
  )
  const { room, firstTurn } = found ?? { room: 0, firstTurn: now }
  const loadCampaignMail = openCampaignMail(work, fillings, bodies)
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const findingOf = new Map(findings.map((finding) => [finding.id, finding]))
  return {
    claims: claimed.map((email) => {
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
    }),
    claimedAt: now,
    left: refs.slice(room),
    awaitTurn: turns.pace(firstTurn),
  }
}

/** After a lost answer: the claim may have been committed, and it handed nothing over. */
const giveBack = (work: Work, claim: string, refs: readonly EmailRef[]) =>
  repeat(GIVE_BACK_WAITS_MS, () =>
    work.db.batch([
      work.db.run(sql`
        update emails set not_before = ${work.now()}, due_at = ${work.now()},
          attempts = attempts - 1, unanswered = unanswered - 1
        where claimed_by = ${claim} and status = 'sending' and (team_id, id) in (
          select value ->> 'teamId', value ->> 'emailId' from json_each(${JSON.stringify(refs)}))`),
    ]),
  )

/** What the moment decides: who is suppressed by now, and what the team tracks. */
const selectFindings = (work: Work, asked: SQL) =>
  work.db.all<{ id: string; blocked: string; opens: 0 | 1; clicks: 0 | 1 }>(sql`
    select e.id, coalesce(e.track_opens, t.track_opens) as opens,
      coalesce(e.track_clicks, t.track_clicks) as clicks, ${blockingSuppressions({
        team: sql`e.team_id`,
        addresses: sql`select value ->> 'address' as address, null as erased from json_each(e.recipients)`,
        override: sql`e.override_suppression`,
      })} as blocked
    from emails e join teams t on t.id = e.team_id
    where (e.team_id, e.id) in ${asked} and e.status = 'sending'`)
