import type { Work } from "../../platform/context.ts"
import { leaveDatabaseToOthers } from "../../platform/db/leave-to-others.ts"
import { createProvider } from "../../providers/create-provider.ts"
import type { Provider } from "../../providers/provider.ts"
import { campaignsInTurn, firstOfTeams, teamsInTurn } from "./choose.ts"
import { type Claim, claimEmails } from "./claim.ts"
import { sendClaimed } from "./send-claimed.ts"

const EMAILS_A_CLAIM = 100

/** An invocation has a thousand requests: each email takes one, and a large email a second one. */
const EMAILS_AN_INVOCATION = 400

/** A team's further emails wait in the backlog. */
const FIRST_OF_A_TEAM = 25

const MIN_WAIT_MS = 20

/** What a queue message says of the emails to send. */
interface Hint {
  teams?: readonly string[]
  /** By the clock of the message's sender. */
  dueAt?: number
  provider?: Provider
}

/**
 * Sends the first few emails of each of these teams, and answers whether more wait in the backlog.
 * A long backlog never delays a team with few emails.
 */
export async function sendFirst(
  work: Work,
  { teams = [], dueAt, provider = createProvider(work) }: Hint,
): Promise<boolean> {
  const choice = firstOfTeams(teams, FIRST_OF_A_TEAM)
  const size = EMAILS_A_CLAIM
  const claim = await claimEmails(work, provider, choice, { kind: "first", size, dueAt })
  try {
    const state = claim.claims.length > 0 ? await sendClaimed(work, provider, claim) : null
    // The end of a pause enqueues what waits. Another email checks a lone fault.
    if (isStopped(claim, state) || (claim.provider === "probed" && state === "open")) return false
    if (state === "paused" || claim.provider === "probed") return true
  } finally {
    if (provider.close) work.defer(provider.close())
  }
  const perTeam = Map.groupBy(claim.claims, ({ email }) => email.teamId)
  return (
    claim.releasesMore ||
    claim.chosen.length >= claim.room ||
    [...perTeam.values()].some(({ length }) => length >= FIRST_OF_A_TEAM) ||
    claim.claims.some(({ email }) => email.unanswered > 1)
  )
}

/** Whether the provider takes no mail now. Its next probe has a message, or waits for the sweep. */
const isStopped = (
  { provider, claims }: Claim,
  state: Awaited<ReturnType<typeof sendClaimed>>,
): boolean =>
  provider === "paused" || (provider === "probed" && (state === "paused" || claims.length === 0))

interface BacklogHint extends Hint {
  bulk?: boolean
  until?: number
}

/**
 * Sends the backlog in the order of the teams' turns, until it is empty or the invocation has sent
 * its share. Answers how many queue messages must follow: two where the rate limit does not bind,
 * so that more consumers join a long backlog.
 */
export async function sendBacklog(
  work: Work,
  {
    bulk = false,
    teams = [],
    dueAt,
    provider = createProvider(work, { bulk }),
    until = Number.POSITIVE_INFINITY,
  }: BacklogHint,
): Promise<0 | 1 | 2> {
  const choice = bulk ? campaignsInTurn : teamsInTurn(teams)
  const asked = { kind: bulk ? "bulk" : "backlog", size: EMAILS_A_CLAIM, dueAt } as const
  try {
    for (let sent = 0; sent < EMAILS_AN_INVOCATION; ) {
      if (work.now() >= until) return 1
      const claim = await claimEmails(work, provider, choice, asked)
      sent += claim.claims.length
      const state = claim.claims.length > 0 ? await sendClaimed(work, provider, claim) : null
      if (isStopped(claim, state)) return 0
      if (claim.room === 0) await scheduler.wait(Math.max(MIN_WAIT_MS, claim.waitMs))
      else if (claim.chosen.length > 0) await leaveDatabaseToOthers()
      else if (!claim.releasesMore) return 0
    }
    return 2
  } finally {
    if (provider.close) work.defer(provider.close())
  }
}
