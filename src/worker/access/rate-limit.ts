import { logError } from "../../lib/log.ts"
import { networkOf } from "../../lib/network.ts"
import { within } from "../../lib/within.ts"
import type { Env } from "../platform/env.ts"
import { retryLater } from "../platform/http/errors.ts"

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

/** Posts of public forms: by the network address of the sender, where it is known, and by the form. */
export async function limitForm(env: Env, formId: string, ip: string | undefined): Promise<void> {
  if (ip) await hold(env.FORM_ADDRESS_RATE_LIMIT, networkOf(ip), "from this address", 60)
  await hold(env.FORM_RATE_LIMIT, formId, "of this form", 60)
}

/** A limiter that is away lets calls through. */
const ANSWERS_WITHIN_MS = 2_000

async function hold(
  limiter: RateLimit,
  key: string,
  whose: string,
  periodSeconds = RATE_LIMIT_PERIOD_SECONDS,
): Promise<void> {
  const { success } = await within(ANSWERS_WITHIN_MS, limiter.limit({ key })).catch((error) => {
    logError(error)
    return { success: true }
  })
  if (success) return
  throw retryLater("rate_limited", `Too many requests ${whose}.`, periodSeconds)
}

const MAX_KNOWN = 10_000

function createMemory<T>() {
  const known = new Map<string, T>()
  return {
    recall: (key: string) => known.get(key),
    remember(key: string, value: T) {
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(key, value)
    },
  }
}

/**
 * A key's id and team. They never change, so this process remembers them: the limit of the team then
 * applies before the call reads or writes anything, without a round trip.
 */
export const knownKeys = createMemory<{ keyId: string; teamId: string }>()

/**
 * The person of a session, and the team of its last call with this `x-team-id`: the limits of both
 * then apply before the call reads or writes anything.
 */
export const knownPeople = createMemory<{ userId: string; teamId: string; database: number }>()

/** The database of a key that is not in the database that its hash names. */
export const knownDatabases = createMemory<number>()
