import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { openProvider } from "../providers/open.ts"
import type { Provider } from "../providers/provider.ts"
import type { EmailRef } from "../queues/messages.ts"
import { campaignsInTurn, firstOfTeams, teamsInTurn, theseEmails } from "./choose.ts"
import { claimEmails } from "./claim.ts"
import { sendClaimed } from "./send-claimed.ts"

const EMAILS_A_CLAIM = 100

/** Each takes a request of an invocation's thousand, and large ones a second. */
const EMAILS_AN_INVOCATION = 400

/** Of each team, before the others of that team wait in the backlog. */
const FIRST_OF_A_TEAM = 10

/** Between two looks for room, at least. */
const LOOK_AGAIN_MS = 20

interface Sending {
  bulk?: boolean
  /** They are known to be withdrawn: none needs the provider's rate. */
  unpaced?: boolean
  provider?: Provider
  /** Nothing is claimed later than this. */
  until?: number
  /** Joins the batch that records the last of the emails. */
  afterLast?: readonly Query[]
}

/**
 * Claims these emails, hands each to the provider, and records what it answered: two round trips,
 * or more where the provider's rate lets them go in parts. Answers with those that were left over.
 */
export async function dispatchEmails(
  work: Work,
  refs: readonly EmailRef[],
  {
    bulk = false,
    unpaced = false,
    provider = openProvider(work, { bulk }),
    until = Number.POSITIVE_INFINITY,
    afterLast = [],
  }: Sending = {},
): Promise<readonly EmailRef[]> {
  const lane = bulk ? "bulk" : "backlog"
  let left = refs
  while (left.length > 0 && work.now() < until) {
    const size = left.length
    const claim = await claimEmails(work, provider, theseEmails(left), { lane, size, unpaced })
    if (claim.room === 0 && !bulk) break
    const had = new Set(claim.chosen)
    left = had.size < claim.room ? [] : left.filter(({ emailId }) => !had.has(emailId))
    if (claim.room > 0) await sendClaimed(work, provider, claim, left.length === 0 ? afterLast : [])
    else await scheduler.wait(Math.max(LOOK_AGAIN_MS, claim.waitMs))
  }
  if (provider.close) work.defer(provider.close())
  return left
}

/** Where to look for emails, as a message of the queue says it. */
export interface Look {
  /** Of these teams something is due. */
  teams?: readonly string[]
  /** On the clock of whoever sent the message. */
  dueAt?: number
  provider?: Provider
}

/**
 * Sends the first few emails of each of these teams, and says whether more of them wait in the
 * backlog. However long the backlog is, it holds up nobody who has little to send.
 */
export async function sendFirst(
  work: Work,
  { teams = [], dueAt, provider = openProvider(work) }: Look,
): Promise<boolean> {
  const choice = firstOfTeams(teams, FIRST_OF_A_TEAM)
  const size = EMAILS_A_CLAIM
  const claim = await claimEmails(work, provider, choice, { lane: "first", size, dueAt })
  if (claim.claims.length > 0) await sendClaimed(work, provider, claim, [])
  if (provider.close) work.defer(provider.close())
  const perTeam = Map.groupBy(claim.claims, ({ email }) => email.teamId)
  return (
    claim.releasesMore ||
    claim.chosen.length >= claim.room ||
    [...perTeam.values()].some(({ length }) => length >= FIRST_OF_A_TEAM) ||
    claim.claims.some(({ email }) => email.unanswered > 1)
  )
}

interface BacklogLook extends Look {
  bulk?: boolean
  /** Nothing is claimed later than this. */
  until?: number
}

/**
 * Sends what waits, in the order of the teams' turns, until nothing is left or the invocation has
 * had its share: then says how many messages are to carry on. Where the provider's rate does not
 * bind, one becomes two: consumers come to a long backlog one by one.
 */
export async function sendBacklog(
  work: Work,
  {
    bulk = false,
    teams = [],
    dueAt,
    provider = openProvider(work, { bulk }),
    until = Number.POSITIVE_INFINITY,
  }: BacklogLook,
): Promise<0 | 1 | 2> {
  const choice = bulk ? campaignsInTurn : teamsInTurn(teams)
  const asked = { lane: bulk ? "bulk" : "backlog", size: EMAILS_A_CLAIM, dueAt } as const
  try {
    for (let sent = 0; sent < EMAILS_AN_INVOCATION; ) {
      if (work.now() >= until) return 1
      const claim = await claimEmails(work, provider, choice, asked)
      sent += claim.claims.length
      if (claim.claims.length > 0) await sendClaimed(work, provider, claim, [])
      if (claim.room === 0) await scheduler.wait(Math.max(LOOK_AGAIN_MS, claim.waitMs))
      else if (claim.chosen.length === 0 && !claim.releasesMore) return 0
    }
    return 2
  } finally {
    if (provider.close) work.defer(provider.close())
  }
}
