import { sql } from "drizzle-orm"
import { log } from "../lib/log.ts"
import { within } from "../lib/within.ts"
import { campaignRuns } from "./campaigns/table.ts"
import { domains } from "./domains/table.ts"
import { isOpen, OPEN_EMAILS, openTeams, PRIORITIES } from "./emails/sending/open-emails.ts"
import { providerPauses } from "./emails/sending/table.ts"
import { emails } from "./emails/table.ts"
import { createDb } from "./platform/db/client.ts"
import { databaseEnv, databaseNumbers } from "./platform/db/databases.ts"
import { type Env, readSettings } from "./platform/env.ts"
import { prepare } from "./platform/installation/prepare.ts"

type Health =
  | ({ status: "ok" } & State)
  /** Some of several databases do not answer: the teams of the others are served. */
  | ({ status: "degraded"; silentDatabases: number[] } & State)
  | { status: "unavailable"; reason: string }

interface State {
  oldestDueSeconds?: number
  paused?: PausedProvider[]
}

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
    known = await look(env, now).catch(unavailable("The database does not answer."))
    keptUntil = now() + KEPT_MS
    return known
  }
}

const unavailable =
  (reason: string) =>
  (error: unknown): Health => {
    log("error", { health: true }, error)
    return { status: "unavailable", reason }
  }

async function look(given: Env, now: () => number): Promise<Health> {
  const env = await prepare(given)
  try {
    readSettings(env)
  } catch (error) {
    return unavailable("A setting is wrong: the log names it.")(error)
  }
  const numbers = databaseNumbers(env)
  const looks = await Promise.allSettled(
    numbers.map((number) => within(ANSWERS_WITHIN_MS, lookInto(databaseEnv(env, number)))),
  )
  const silentDatabases = numbers.filter((_, index) => looks[index]?.status === "rejected")
  const found = looks.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
  if (found.length === 0) throw looks.find((one) => one.status === "rejected")?.reason
  const lateMs = Math.max(...found.map(({ dueAt }) => (dueAt ? now() - dueAt : 0)))
  const since = new Map(
    found.flatMap(({ pauses }) => pauses).map((one) => [one.provider, one.since]),
  )
  const state = {
    oldestDueSeconds: Math.max(0, Math.round(lateMs / 1000)),
    ...(since.size > 0 && {
      paused: [...since].map(([provider, at]) => ({ provider, since: new Date(at).toISOString() })),
    }),
  }
  return silentDatabases.length > 0
    ? { status: "degraded", silentDatabases, ...state }
    : { status: "ok", ...state }
}

async function lookInto(env: Env) {
  const db = createDb(env.DB)
  const [[row], pauses] = await db.batch([
    db.all<{ dueAt: number | null }>(oldestDue),
    db
      .select({ provider: providerPauses.provider, since: providerPauses.since })
      .from(providerPauses),
  ])
  return { dueAt: row?.dueAt ?? null, pauses }
}

/**
 * The time of the oldest transactional email, campaign or domain check that is not done: a few index
 * steps, whatever waits. Deliveries of webhooks are left out, since slow receivers hold theirs up.
 */
export const oldestDue = sql`
  with recursive ${openTeams(PRIORITIES.transactional, MOST_TEAMS)}
  select min(due_at) as dueAt from (
    select (select min(${emails.notBefore}) from ${OPEN_EMAILS}
      where ${isOpen(PRIORITIES.transactional)} and ${emails.teamId} = team.id) as due_at
    from team where team.id is not null
    union all
    select min(${campaignRuns.dueAt}) from ${campaignRuns} where ${campaignRuns.dueAt} is not null
    union all
    select min(${domains.checkAt}) from ${domains} where ${domains.checkAt} is not null
  )`
