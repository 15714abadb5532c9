import { networkOf } from "../../lib/network.ts"
import type { Env } from "../platform/env.ts"
import { ApiError } from "../platform/http/errors.ts"

const RATE_LIMIT_PERIOD_SECONDS = 10

/** The rate limits of wrangler.toml, for each key, team and IP address. */
export const limitKey = (env: Env, secretHash: string) =>
  hold(env.API_RATE_LIMIT, secretHash, "with this key")

export const limitTeam = (env: Env, teamId: string) =>
  hold(env.TEAM_RATE_LIMIT, teamId, "of this team")

export const limitSession = (env: Env, session: string) =>
  hold(env.API_RATE_LIMIT, `session ${session}`, "with this session")

export const limitPerson = (env: Env, userId: string) =>
  hold(env.API_RATE_LIMIT, `person ${userId}`, "of this person")

/** Counts a call without a valid key. There is an IP address only behind Cloudflare's edge. */
export async function limitStranger(env: Env, ip: string | undefined): Promise<void> {
  if (!ip) return
  await hold(
    env.API_RATE_LIMIT,
    `address ${networkOf(ip)}`,
    "without a valid key from this address",
  )
}

async function hold(limiter: RateLimit, key: string, whose: string): Promise<void> {
  const { success } = await limiter.limit({ key })
  if (success) return
  throw new ApiError("rate_limited", `Too many requests ${whose}.`, undefined, {
    "retry-after": String(RATE_LIMIT_PERIOD_SECONDS),
  })
}

const MAX_KNOWN = 10_000
const teamsOfKeys = new Map<string, string>()
const peopleOfSessions = new Map<string, { userId: string; teamId: string }>()

/**
 * The team of a key. It never changes, so this process remembers it: the limit of the team then
 * applies before the call reads or writes anything, without a round trip.
 */
export const knownTeam = (secretHash: string) => teamsOfKeys.get(secretHash)

export function rememberTeam(secretHash: string, teamId: string): void {
  if (teamsOfKeys.size >= MAX_KNOWN) teamsOfKeys.clear()
  teamsOfKeys.set(secretHash, teamId)
}

/**
 * The person of a session, and the team of its last call with this `x-team-id`: the limits of both
 * then apply before the call reads or writes anything.
 */
export const knownPerson = (session: string) => peopleOfSessions.get(session)

export function rememberPerson(session: string, known: { userId: string; teamId: string }): void {
  if (peopleOfSessions.size >= MAX_KNOWN) peopleOfSessions.clear()
  peopleOfSessions.set(session, known)
}
