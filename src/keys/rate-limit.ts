import type { Env } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { networkOf } from "../lib/network.ts"

const RATE_LIMIT_PERIOD_SECONDS = 10

/** The limits of the API, which wrangler.toml sets: calls of a key, of a team, of an address. */
export const limitKey = (env: Env, secretHash: string) =>
  hold(env.API_RATE_LIMIT, secretHash, "with this key")

export const limitTeam = (env: Env, teamId: string) =>
  hold(env.TEAM_RATE_LIMIT, teamId, "of this team")

/** Counts a call without a valid key; only Cloudflare's edge says where a call comes from. */
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

/**
 * The team of a key, which never changes: known in this process once the database told, so that a
 * team's limit is held before the call reads or writes anything, and costs no round trip.
 */
export const knownTeam = (secretHash: string) => teamsOfKeys.get(secretHash)

export function rememberTeam(secretHash: string, teamId: string): void {
  if (teamsOfKeys.size >= MAX_KNOWN) teamsOfKeys.clear()
  teamsOfKeys.set(secretHash, teamId)
}
