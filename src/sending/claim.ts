import { and, inArray, isNull, lte, type SQL, sql } from "drizzle-orm"
import { isLarge } from "../db/overflow.ts"
import { type EmailContent, loadContent } from "../emails/content.ts"
import { type EmailRow, emailContents, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { CLOCKS_APART_MS } from "../lib/clocks.ts"
import type { Provider } from "../providers/provider.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import { openCampaignMail, selectCampaignMail, type Withdrawn } from "./campaign-mail.ts"
import { type Choice, inTurns } from "./choose.ts"
import { giveBack } from "./give-back.ts"
import { takeFromPage } from "./next-batch.ts"
import { type Lane, openTurns } from "./rate-limit.ts"
import { releasedOfEach, releaseScheduled } from "./release.ts"
import type { Tracked } from "./track-html.ts"

const NOTHING = sql`(select null, null where false)`

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

export interface Claim {
  /** In the order in which they are to go. */
  claims: Claimed[]
  claimedAt: number
  /** How many emails the provider's rate left room for. */
  room: number
  /** The ids of all that it was to take, though some may have been cancelled. */
  chosen: string[]
  /** There may be more scheduled mail, of the teams asked for, that has its time. */
  releasesMore: boolean
  /** Before each message: the provider takes so many a second. */
  awaitTurn(): Promise<void>
  /** How long until the provider has room again. */
  waitMs: number
}

interface Claiming {
  lane: Lane
  size: number
  /** What was due by then on the clock of another machine: it may be a little ahead of this one. */
  dueAt?: number | undefined
  unpaced?: boolean
}

/**
 * One consumer has an email: it waited its time, and nobody else holds its lease. A lease lasts
 * until the provider's own events have told of a message whose answer was lost. In one batch: the
 * choice of the emails, which the provider's row keeps for the statements after it.
 */
export async function claimEmails(
  work: Work,
  provider: Provider,
  choice: Choice,
  { lane, size, dueAt = 0, unpaced = false }: Claiming,
): Promise<Claim> {
  const turns = await openTurns(work, provider, { lane, size, unpaced })
  const now = work.now()
  const dueBy = Math.min(Math.max(now, dueAt), now + CLOCKS_APART_MS)
  const lease = now + LEASE_MS + (provider.settleMs ?? 0)
  const isBulk = lane === "bulk"
  const claim = crypto.randomUUID()
  const ofClaim = sql`t.provider = ${provider.name} and t.claimed_by = ${claim}`
  const kept = sql`from provider_turns t, json_each(t.chosen) x where ${ofClaim}`
  const known = turns.isBounded ? undefined : choice.claimed?.(lease, claim)
  const asked = sql`(${known ?? sql`select x.value ->> 0, x.value ->> 1 ${kept}`})`
  const claiming = work.db.batch([
    releaseScheduled(work, choice.teams, dueBy),
    work.db.all<{ room: number; firstTurn: number }>(
      sql`select ${turns.room} as room, ${turns.firstTurn} as firstTurn`,
    ),
    known ? work.db.run(sql`select 1 where false`) : turns.choose(claim, choice, dueBy),
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
          sql`(team_id, id) in ${known ? turns.chosen(choice, dueBy) : asked}`,
          inArray(emails.status, ["queued", "scheduled", "sending"]),
          lte(emails.notBefore, dueBy),
          isBulk ? undefined : isNull(emails.campaignId),
        ),
      )
      .returning(),
    work.db.all<{ chosen: string }>(sql`select t.chosen from provider_turns t where ${ofClaim}`),
    work.db.select().from(emailContents).where(sql`(team_id, email_id) in ${asked}`),
    selectFindings(work, asked),
    ...selectCampaignMail(work, isBulk ? asked : NOTHING),
    ...(isBulk ? takeFromPage(work, ofClaim) : []),
  ])
  const [released, [found], , taken, [row], contents, findings, fillings, bodies] =
    await claiming.catch(async (error) => {
      await giveBack(work, claim, lease).catch(() => {})
      throw error
    })
  const { room, firstTurn } = found ?? { room: 0, firstTurn: now }
  const inOrder = known ? inTurns(taken) : inOrderOf(row?.chosen ?? "[]", taken)
  const loadCampaignMail = openCampaignMail(work, fillings, bodies)
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const findingOf = new Map(findings.map((finding) => [finding.id, finding]))
  return {
    claims: inOrder.map((email) => {
      const { blocked = "[]", opens, clicks } = findingOf.get(email.id) ?? {}
      const stored = contentOf.get(email.id)
      return {
        email,
        isLarge: stored !== undefined && isLarge(stored),
        load: async () =>
          email.campaignId === null ? loadContent(work.env, stored) : loadCampaignMail(email),
        blocked: JSON.parse(blocked) as Blocked[],
        tracked: { opens: Boolean(opens), clicks: Boolean(clicks) },
      }
    }),
    claimedAt: now,
    room,
    chosen: known ? taken.map(({ id }) => id) : idsOf(row?.chosen ?? "[]"),
    releasesMore: released.meta.changes >= releasedOfEach(choice.teams),
    awaitTurn: turns.pace(firstTurn),
    waitMs: turns.waitMs(firstTurn),
  }
}

/** Of the choice as the provider's row keeps it. */
const idsOf = (chosen: string) => (JSON.parse(chosen) as [string, string][]).map(([, id]) => id)

function inOrderOf(chosen: string, taken: readonly EmailRow[]): EmailRow[] {
  const emailOf = new Map(taken.map((email) => [email.id, email]))
  return idsOf(chosen).flatMap((id) => emailOf.get(id) ?? [])
}

/** Read at send time: suppressions and the team's tracking settings. */
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
