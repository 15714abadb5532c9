import { and, inArray, isNull, lte, type SQL, sql } from "drizzle-orm"
import { namedBatch, type Query } from "../db/client.ts"
import { fixedQueries, type Places } from "../db/fixed.ts"
import { isLarge } from "../db/overflow.ts"
import { type EmailContent, loadContent } from "../emails/content.ts"
import { type EmailRow, e, emailContents, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { CLOCKS_APART_MS } from "../lib/clocks.ts"
import type { Provider } from "../providers/provider.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import { teams } from "../teams/table.ts"
import {
  type CampaignMail,
  openCampaignMail,
  selectBodies,
  selectFillings,
  type Withdrawn,
} from "./campaign-mail.ts"
import { type Choice, type ChoiceRule, takeTurns } from "./choose.ts"
import { type ClaimValues, p } from "./claim-places.ts"
import { giveBack } from "./give-back.ts"
import { takeFromBatch } from "./next-batch.ts"
import { CLAIMABLE } from "./open-emails.ts"
import { type Lane, selectChoice, slotsOf, slotText, takeSlots } from "./rate-limit.ts"
import { releasedOfEach, releaseScheduled } from "./release.ts"
import { providerSlots } from "./table.ts"
import type { Tracked } from "./track-html.ts"

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
  { rule, teams, refs = [], share = 0 }: Choice,
  { lane, size, dueAt = 0, unpaced = false }: Claiming,
): Promise<Claim> {
  const slots = await slotsOf(work, provider, { lane, size, unpaced })
  const now = work.now()
  const claim = crypto.randomUUID()
  const lease = now + LEASE_MS + (provider.settleMs ?? 0)
  const { isKept, claim: claimBatch } = statementsOf(rule, {
    isBounded: slots.isBounded,
    isBulk: lane === "bulk",
  })
  const found = await namedBatch(
    work.db,
    claimBatch(work, {
      ...slots.values,
      provider: provider.name,
      claim,
      now,
      dueBy: Math.min(Math.max(now, dueAt), now + CLOCKS_APART_MS),
      lease,
      teams: JSON.stringify(teams),
      releasedOfEach: releasedOfEach(teams),
      share,
      refs: JSON.stringify(refs),
    }),
  ).catch(async (error) => {
    await giveBack(work, claim, lease).catch(() => {})
    throw error
  })
  const { room, firstSlot } = found.slots[0]?.[0] ?? { room: size, firstSlot: 0 }
  const chosen = (found.rows[0]?.[0]?.chosen ?? []).map(([, id]) => id)
  const inOrder = isKept ? inOrderOf(chosen, found.taken) : takeTurns(found.taken)
  return {
    claims: inOrder.map(
      openClaimed(work, { ...found, fillings: found.fillings.flat(), bodies: found.bodies.flat() }),
    ),
    claimedAt: now,
    room,
    chosen: isKept ? chosen : found.taken.map(({ id }) => id),
    releasesMore: found.released.meta.changes >= releasedOfEach(teams),
    awaitSlot: slots.pace(firstSlot),
    waitMs: slots.waitMs(firstSlot),
  }
}

interface Kind {
  isBounded: boolean
  isBulk: boolean
}

const known = new WeakMap<ChoiceRule, Map<string, ReturnType<typeof writeStatements>>>()

/** Written once for each rule and kind of claim. */
function statementsOf(rule: ChoiceRule, kind: Kind) {
  const ofRule = known.get(rule) ?? new Map<string, ReturnType<typeof writeStatements>>()
  known.set(rule, ofRule)
  const name = JSON.stringify(kind)
  const statements = ofRule.get(name) ?? writeStatements(rule, kind)
  ofRule.set(name, statements)
  return statements
}

const isClaim = sql`${providerSlots.provider} = ${p.provider}
  and ${providerSlots.claimedBy} = ${p.claim}`

const SELECT_KEPT = sql`select x.value ->> 0, x.value ->> 1
  from ${providerSlots}, json_each(${providerSlots.chosen}) x where ${isClaim}`

function writeStatements(rule: ChoiceRule, { isBounded, isBulk }: Kind) {
  const slots = slotText({ isBounded, isBulk })
  const claimed = isBounded ? undefined : rule.claimed
  const isKept = claimed === undefined
  const asked = sql`(${claimed ?? SELECT_KEPT})`
  const isDue = and(
    sql`(team_id, id) in ${isKept ? asked : selectChoice(rule, slots)}`,
    inArray(emails.status, CLAIMABLE),
    lte(emails.notBefore, p.dueBy),
    isBulk ? undefined : isNull(emails.campaignId),
  )
  const claim = fixedQueries((at, _: Places<keyof ClaimValues>) => ({
    released: releaseScheduled(at),
    slots: optional(isBounded, () =>
      at.db.all<{ room: number; firstSlot: number }>(
        sql`select ${slots.room} as room, ${slots.firstSlot} as firstSlot`,
      ),
    ),
    choose: optional(isKept, () => takeSlots(at, rule, slots)),
    taken: takeLease(at, isDue),
    rows: optional(isKept, () =>
      at.db.select({ chosen: providerSlots.chosen }).from(providerSlots).where(isClaim),
    ),
    contents: at.db.select().from(emailContents).where(sql`(team_id, email_id) in ${asked}`),
    findings: selectFindings(at, asked),
    fillings: optional(isBulk, () => selectFillings(at, asked)),
    bodies: optional(isBulk, () => selectBodies(at, asked)),
    takeFromBatch: isBulk ? takeFromBatch(at, isClaim) : [],
  }))
  return { isKept, claim }
}

/** A statement that this kind of claim needs, or none. */
const optional = <Q extends Query>(isNeeded: boolean, write: () => Q): readonly Q[] =>
  isNeeded ? [write()] : []

const takeLease = ({ db }: Pick<Work, "db">, isDue: SQL | undefined) =>
  db
    .update(emails)
    .set({
      status: "sending",
      attempts: sql`${emails.attempts} + 1`,
      unanswered: sql`${emails.unanswered} + 1`,
      claimedBy: sql`${p.claim}`,
      notBefore: sql`${p.lease}`,
      dueAt: sql`${p.lease}`,
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
const selectFindings = ({ db }: Pick<Work, "db">, asked: SQL) =>
  db.all<Finding>(sql`
    select ${e.id}, coalesce(${e.trackOpens}, ${teams.trackOpens}) as opens,
      coalesce(${e.trackClicks}, ${teams.trackClicks}) as clicks, ${blockingSuppressions({
        team: sql`${e.teamId}`,
        addresses: sql`select value ->> 'address' as address, null as erased
          from json_each(${e.recipients})`,
        override: sql`${e.overrideSuppression}`,
      })} as blocked
    from emails e join ${teams} on ${teams.id} = ${e.teamId}
    where (${e.teamId}, ${e.id}) in ${asked} and ${e.status} = 'sending'`)
