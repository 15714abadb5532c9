import { CLOCKS_APART_MS, MINUTE_MS } from "../../../lib/time.ts"
import {
  type CampaignMail,
  createCampaignMail,
  type Held,
  isOfCancelled,
  type Unsendable,
  type Withdrawn,
} from "../../campaigns/sending/campaign-mail.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { isLarge } from "../../platform/db/overflow.ts"
import type { Provider } from "../../providers/provider.ts"
import { hasReportAddresses } from "../../received/reading/report-addresses.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import { type EmailContent, loadContent } from "../content.ts"
import type { EmailRow, emailContents } from "../table.ts"
import type { Tracked } from "../tracking/track-html.ts"
import { type Choice, type ChoiceRule, interleaveTeams } from "./choose.ts"
import { type Finding, type Kind, writeStatements } from "./claim.sql.ts"
import { giveProbeBack } from "./pacing/provider-pause.ts"
import { type ClaimKind, takeSlots, withoutLimit } from "./pacing/rate-limit.ts"
import { releaseClaim } from "./release-claim.ts"

/** How long nobody else may claim an email. */
export const LEASE_MS = 45_000

/** With the longest wait for a provider's own event. */
export const LONGEST_LEASE_MS = LEASE_MS + 5 * MINUTE_MS

/** An email that this consumer holds, with everything needed to send it. */
export interface Claimed {
  email: EmailRow
  /** Whether it is too large to be in memory together with others. */
  isLarge: boolean
  load(): Promise<EmailContent | Withdrawn | Held | Unsendable | null>
  isOfDeletedTeam: boolean
  isOfLostDomain: boolean
  /** Bounces and unsubscriptions can come as mail. */
  takesReports: boolean
  blocked: Blocked[]
  tracked: Tracked
}

export interface Claim {
  id: string
  /** `paused`: the provider takes no mail, and another claim has the probe. */
  provider: "open" | "probed" | "paused"
  /** In sending order. */
  claims: Claimed[]
  claimedAt: number
  /** How many emails the rate limit left room for. */
  room: number
  /** The ids of the chosen emails; some may have been cancelled since. */
  chosen: string[]
  /** The teams may have more scheduled mail that is due. */
  releasesMore: boolean
  /** Waits for the slot of this email. False if it comes after `until`. */
  awaitSlot(email: EmailRow, until: number): Promise<boolean>
  /** How long until the rate limit has room again. */
  waitMs: number
}

interface Claiming {
  kind: ClaimKind
  size: number
  /** The due time by the clock of another machine, which may be slightly ahead of this one. */
  dueAt?: number | undefined
  /** No email goes to the provider: all are known to be withdrawn. */
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
  { kind, size, dueAt = 0, unpaced = false }: Claiming,
): Promise<Claim> {
  const slots = unpaced ? withoutLimit(size) : await takeSlots(work, provider, kind, size)
  const now = work.now()
  // Short, since it stays in the row of each email.
  const claim = crypto.randomUUID().slice(-17)
  const lease = now + LEASE_MS + (provider.settleMs ?? 0)
  const { isKept, write } = statementsOf(rule, { isBulk: kind === "bulk", isPaced: !unpaced })
  const found = await namedBatch(
    work.db,
    write(work, {
      size: slots.room,
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
    await releaseClaim(work, claim, lease).catch(() => {})
    throw error
  })
  const pause = firstRow(found.pause)
  const state = pause === undefined ? "open" : pause.isProbe ? "probed" : "paused"
  if (state === "probed" && found.taken.length === 0) await giveProbeBack(work, claim)
  const slotsOf = (email: EmailRow) => (provider.countsRecipients ? email.recipients.length : 1)
  const cancelled = new Set(
    found.fillings
      .flat()
      .filter(isOfCancelled)
      .map((one) => one.emailId),
  )
  const chosen = (firstRow(found.kept)?.chosen ?? []).map(([, id]) => id)
  const inOrder = isKept ? inOrderOf(chosen, found.taken) : interleaveTeams(found.taken)
  slots.use(inOrder.filter(({ id }) => !cancelled.has(id)).map(slotsOf))
  return {
    id: claim,
    provider: state,
    claims: inOrder.map(
      unpackClaimed(work, {
        ...found,
        fillings: [...found.fillings, ...found.sequenceFillings].flat(),
        bodies: [...found.bodies, ...found.sequenceBodies].flat(),
      }),
    ),
    claimedAt: now,
    room: state === "open" ? slots.room : Number(state === "probed"),
    chosen: isKept ? chosen : found.taken.map(({ id }) => id),
    releasesMore: found.released.meta.changes >= releasedOfEach(teams),
    awaitSlot: (email, until) => slots.awaitSlot(slotsOf(email), until),
    waitMs: slots.waitMs,
  }
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

const RELEASED_A_CLAIM = 500

const releasedOfEach = (teams: readonly string[]) =>
  Math.ceil(RELEASED_A_CLAIM / Math.max(1, teams.length))

/** The first row of a statement that not every claim has. */
const firstRow = <T>([rows]: readonly (readonly T[])[]): T | undefined => rows?.[0]

function inOrderOf(chosen: readonly string[], taken: readonly EmailRow[]): EmailRow[] {
  const emailOf = new Map(taken.map((email) => [email.id, email]))
  return chosen.flatMap((id) => emailOf.get(id) ?? [])
}

interface Found extends CampaignMail {
  contents: readonly (typeof emailContents.$inferSelect)[]
  findings: readonly Finding[]
}

function unpackClaimed(work: Work, { contents, findings, ...campaignMail }: Found) {
  const loadCampaignMail = createCampaignMail(work, campaignMail)
  const contentOf = new Map(contents.map((content) => [content.emailId, content]))
  const findingOf = new Map(findings.map((finding) => [finding.id, finding]))
  return (email: EmailRow): Claimed => {
    const finding = findingOf.get(email.id)
    const { blocked = "[]", opens, clicks } = finding ?? {}
    const stored = contentOf.get(email.id)
    const takesReports = hasReportAddresses(work.settings, finding)
    return {
      takesReports,
      email,
      isLarge: stored !== undefined && isLarge(stored),
      load: async () =>
        email.campaignId === null
          ? loadContent(work.env, stored)
          : loadCampaignMail(email, { takesReports }),
      isOfDeletedTeam: finding === undefined,
      isOfLostDomain: finding?.hasDomain === 0,
      blocked: JSON.parse(blocked) as Blocked[],
      tracked: { opens: Boolean(opens), clicks: Boolean(clicks) },
    }
  }
}
