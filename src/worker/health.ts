import { sql } from "drizzle-orm"
import { log } from "../lib/log.ts"
import { within } from "../lib/within.ts"
import { campaignRuns } from "./campaigns/table.ts"
import { domains } from "./domains/table.ts"
import { isOpen, OPEN_EMAILS, openTeams, PRIORITIES } from "./emails/sending/open-emails.ts"
import { providerPauses } from "./emails/sending/table.ts"
import { e } from "./emails/table.ts"
import { createDb } from "./platform/db/client.ts"
import type { Env } from "./platform/env.ts"

type Health =
  | { status: "ok"; oldestDueSeconds?: number; paused?: PausedProvider[] }
  | { status: "unavailable"; reason: string }

/** A provider that takes no mail: it waits, and goes out by itself. */
interface PausedProvider {
  provider: string
  since: string
}

/** Anybody may ask, so an isolate looks into the database once in this time. */
const KEPT_MS = 5_000
const ANSWERS_WITHIN_MS = 5_000
const MOST_TEAMS = 100

/**
 * The state of the installation. It is kept for a few seconds, also while the database is
 * unavailable.
 */
export function makeHealth(now: () => number = Date.now): (env: Env) => Promise<Health> {
  let known: Health = { status: "ok" }
  let keptUntil = 0
  return async (env) => {
    if (now() < keptUntil) return known
    // Whoever asks meanwhile gets the last answer.
    keptUntil = now() + KEPT_MS
    known = await look(env, now).catch((error: unknown): Health => {
      log("error", { health: true }, error)
      return { status: "unavailable", reason: "The database does not answer." }
    })
    keptUntil = now() + KEPT_MS
    return known
  }
}

async function look(env: Env, now: () => number): Promise<Health> {
  const db = createDb(env.DB)
  const asked = db.batch([
    db.all<{ dueAt: number | null }>(oldestDue),
    db
      .select({ provider: providerPauses.provider, since: providerPauses.since })
      .from(providerPauses),
  ])
  const [[row], pauses] = await within(ANSWERS_WITHIN_MS, asked)
  const lateMs = row?.dueAt ? now() - row.dueAt : 0
  return {
    status: "ok",
    oldestDueSeconds: Math.max(0, Math.round(lateMs / 1000)),
    ...(pauses.length > 0 && {
      paused: pauses.map(({ provider, since }) => ({
        provider,
        since: new Date(since).toISOString(),
      })),
    }),
  }
}

/**
 * The time of the oldest transactional email, campaign or domain check that is not done: a few index
 * steps, whatever waits. Deliveries of webhooks are left out, since slow receivers hold theirs up.
 */
export const oldestDue = sql`
  with recursive ${openTeams(PRIORITIES.transactional, MOST_TEAMS)}
  select min(due_at) as dueAt from (
    select (select min(${e.notBefore}) from ${OPEN_EMAILS}
      where ${isOpen(PRIORITIES.transactional)} and ${e.teamId} = team.id) as due_at
    from team where team.id is not null
    union all
    select min(${campaignRuns.dueAt}) from ${campaignRuns} where ${campaignRuns.dueAt} is not null
    union all
    select min(${domains.checkAt}) from ${domains} where ${domains.checkAt} is not null
  )`
