import { and, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import { isLarge } from "../db/overflow.ts"
import { type EmailContent, loadContent } from "../emails/content.ts"
import { type EmailRow, emailContents, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { CLOCKS_APART_MS } from "../lib/clocks.ts"
import type { Provider } from "../providers/provider.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import { teams } from "../teams/table.ts"
import {
  type CampaignMail,
  openCampaignMail,
  selectCampaignMail,
  type Withdrawn,
} from "./campaign-mail.ts"
import { type Choice, takeTurns } from "./choose.ts"
import { giveBack } from "./give-back.ts"
import { takeFromBatch } from "./next-batch.ts"
import { CLAIMABLE, e } from "./open-emails.ts"
import { type Lane, slotsOf } from "./rate-limit.ts"
import { releasedOfEach, releaseScheduled } from "./release.ts"
import { providerTurns } from "./table.ts"
import type { Tracked } from "./track-html.ts"

const NOTHING = sql`(select null, null where false)`

/** How long nobody else may claim an email. */
export const LEASE_MS = 45_000

/** An email that this consumer holds, with everything needed to send it. */
export interface Claimed {
  email: EmailRow
  /** Whether it is too large to be in memory together with others. */
  isLarge: boolean
  load(): Promise<EmailContent | Withdrawn | null>
  isOfDeletedTeam: boolean
  blocked: Blocked[]
  tracked: Tracked
}

export interface Claim {
  /** In sending order. */
  claims: Claimed[]
  claimedAt: number
  /** How many emails the rate limit left room for. */
  room: number
  /** The ids of the chosen emails; some may have been cancelled since. */
  chosen: string[]
  /** The teams may have more scheduled mail that is due. */
  releasesMore: boolean
  /** Waits for the slot of the next message. */
  awaitSlot(): Promise<void>
  /** How long until the rate limit has room again. */
  waitMs: number
}

interface Claiming {
  lane: Lane
  size: number
  /** The due time by the clock of another machine, which may be slightly ahead of this one. */
  dueAt?: number | undefined
  unpaced?: boolean
}

/**
 * Claims emails that are due and that no other consumer holds. The lease lasts long enough
 * for the provider's own events to report a message whose answer was lost. It is one batch: the
 * first statements choose the emails, and the provider's row keeps the choice for the others.
 */
export async function claimEmails(
  work: Work,
  provider: Provider,
  choice: Choice,
  { lane, size, dueAt = 0, unpaced = false }: Claiming,
): Promise<Claim> {
  const slots = await slotsOf(work, provider, { lane, size, unpaced })
  const now = work.now()
  const dueBy = Math.min(Math.max(now, dueAt), now + CLOCKS_APART_MS)
  const lease = now + LEASE_MS + (provider.settleMs ?? 0)
  const isBulk = lane === "bulk"
  const claim = crypto.randomUUID()
  const isClaim = and(
    eq(providerTurns.provider, provider.name),
    eq(providerTurns.claimedBy, claim),
  ) as SQL
  const known = slots.isBounded ? undefined : choice.claimed?.(lease, claim)
  const asked = sql`(${known ?? selectChosen(isClaim)})`
  const isDue = and(
    sql`(team_id, id) in ${known ? slots.chosen(choice, dueBy) : asked}`,
    inArray(emails.status, CLAIMABLE),
    lte(emails.notBefore, dueBy),
    isBulk ? undefined : isNull(emails.campaignId),
  )
  const found = await namedBatch(work.db, {
    released: releaseScheduled(work, choice.teams, dueBy),
    slots: work.db.all<{ room: number; firstSlot: number }>(
      sql`select ${slots.room} as room, ${slots.firstSlot} as firstSlot`,
    ),
    choose: known ? [] : [slots.choose(claim, choice, dueBy)],
    taken: takeLease(work, isDue, claim, lease),
    rows: work.db.select({ chosen: providerTurns.chosen }).from(providerTurns).where(isClaim),
    contents: work.db.select().from(emailContents).where(sql`(team_id, email_id) in ${asked}`),
    findings: selectFindings(work, asked),
    ...selectCampaignMail(work, isBulk ? asked : NOTHING),
    takeFromBatch: isBulk ? takeFromBatch(work, isClaim) : [],
  }).catch(async (error) => {
    await giveBack(work, claim, lease).catch(() => {})
    throw error
  })
  const { room, firstSlot } = found.slots[0] ?? { room: 0, firstSlot: now }
  const chosen = (found.rows[0]?.chosen ?? []).map(([, id]) => id)
  const inOrder = known ? takeTurns(found.taken) : inOrderOf(chosen, found.taken)
  return {
    claims: inOrder.map(openClaimed(work, found)),
    claimedAt: now,
    room,
    chosen: known ? found.taken.map(({ id }) => id) : chosen,
    releasesMore: found.released.meta.changes >= releasedOfEach(choice.teams),
    awaitSlot: slots.pace(firstSlot),
    waitMs: slots.waitMs(firstSlot),
  }
}

const selectChosen = (isClaim: SQL) => sql`select x.value ->> 0, x.value ->> 1
  from ${providerTurns}, json_each(${providerTurns.chosen}) x where ${isClaim}`

const takeLease = (work: Work, isDue: SQL | undefined, claim: string, lease: number) =>
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
    .where(isDue)
    .returning()

function inOrderOf(chosen: readonly string[], taken: readonly EmailRow[]): EmailRow[] {
  const emailOf = new Map(taken.map((email) => [email.id, email]))
  return chosen.flatMap((id) => emailOf.get(id) ?? [])
}

interface Found extends CampaignMail {
  contents: readonly (typeof emailContents.$inferSelect)[]
  findings: readonly Finding[]
}

function openClaimed(work: Work, { contents, findings, ...campaignMail }: Found) {
  const loadCampaignMail = openCampaignMail(work, campaignMail)
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const findingOf = new Map(findings.map((finding) => [finding.id, finding]))
  return (email: EmailRow): Claimed => {
    const finding = findingOf.get(email.id)
    const { blocked = "[]", opens, clicks } = finding ?? {}
    const stored = contentOf.get(email.id)
    return {
      email,
      isLarge: stored !== undefined && isLarge(stored),
      load: async () =>
        email.campaignId === null ? loadContent(work.env, stored) : loadCampaignMail(email),
      isOfDeletedTeam: finding === undefined,
      blocked: JSON.parse(blocked) as Blocked[],
      tracked: { opens: Boolean(opens), clicks: Boolean(clicks) },
    }
  }
}

interface Finding {
  id: string
  /** JSON of `Blocked[]`. */
  blocked: string
  opens: 0 | 1
  clicks: 0 | 1
}

/** Read at send time: suppressions and the team's tracking settings. */
const selectFindings = (work: Work, asked: SQL) =>
  work.db.all<Finding>(sql`
    select ${e.id}, coalesce(${e.trackOpens}, ${teams.trackOpens}) as opens,
      coalesce(${e.trackClicks}, ${teams.trackClicks}) as clicks, ${blockingSuppressions({
        team: sql`${e.teamId}`,
        addresses: sql`select value ->> 'address' as address, null as erased
          from json_each(${e.recipients})`,
        override: sql`${e.overrideSuppression}`,
      })} as blocked
    from emails e join ${teams} on ${teams.id} = ${e.teamId}
    where (${e.teamId}, ${e.id}) in ${asked} and ${e.status} = 'sending'`)
