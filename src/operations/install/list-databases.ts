import { DAY_MS } from "../../lib/time.ts"
import { emailsADay, fullOn } from "../capacity.ts"
import type { BoundDatabase } from "../installation.ts"
import type { Databases } from "../move-team.ts"
import { notedDatabases } from "../settings.ts"
import { findAccount } from "./account.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { createQuery } from "./database.ts"
import { Failure } from "./failure.ts"
import { inParallel } from "./in-parallel.ts"
import { findWorker } from "./worker.ts"

const MEGABYTE = 1_000_000
const DEFAULT_RETENTION_DAYS = 90

interface Wanted {
  name: string
  accountId?: string
}

interface Row {
  number: number
  name: string
  jurisdiction: string
  teams: number | string
  size: string
  "emails a day": number | string
  "full on": string
}

async function findDatabases(wanted: Wanted, cloudflare: Cloudflare) {
  const account = await findAccount(cloudflare, wanted.accountId)
  const worker = await findWorker(cloudflare, account.id, wanted.name)
  if (!worker?.databaseId) {
    throw new Failure(
      `The account ${account.name} has no installation '${wanted.name}'.`,
      "Deploy it: npm run deploy -- URL.",
    )
  }
  const noted = await notedDatabases(wanted.name)
  const databases = worker.databases.map((database) => ({
    ...noted.find(({ number }) => number === database.number),
    ...database,
  }))
  return { account, worker, databases }
}

/** A row for each database that the Worker works with. One that does not answer says so in its row. */
export async function listDatabases(wanted: Wanted, cloudflare: Cloudflare): Promise<Row[]> {
  const { account, worker, databases } = await findDatabases(wanted, cloudflare)
  const retentionDays = Number(worker.vars.RECORD_RETENTION_DAYS ?? DEFAULT_RETENTION_DAYS)
  return inParallel(databases, (database) =>
    describeDatabase(cloudflare, account.id, database, retentionDays),
  )
}

/** The same databases, for statements in one of them. */
export async function deployedDatabases(
  wanted: Wanted,
  cloudflare: Cloudflare,
): Promise<Databases> {
  const { account, databases } = await findDatabases(wanted, cloudflare)
  return {
    known: databases,
    query: (number, sql) => {
      const id = databases.find((database) => database.number === number)?.id ?? ""
      return createQuery(cloudflare, account.id, id, `Asking database ${number}`)(sql)
    },
  }
}

async function describeDatabase(
  cloudflare: Cloudflare,
  accountId: string,
  { number, id, jurisdiction }: BoundDatabase,
  retentionDays: number,
): Promise<Row> {
  const path = `/accounts/${accountId}/d1/database/${id}`
  const found = await cloudflare.find<{ name: string; file_size?: number }>("Reading sizes", path)
  const [name, bytes] = [found?.name ?? "is gone", found?.file_size ?? 0]
  const known = {
    number,
    name,
    jurisdiction: jurisdiction ?? "none",
    size: `${Math.round(bytes / MEGABYTE)} MB`,
  }
  const query = createQuery(cloudflare, accountId, id, `Reading ${name}`)
  try {
    const [now, since] = [Date.now(), Date.now() - (retentionDays + 1) * DAY_MS]
    const [row] = await query<{ teams: number }>("select count(*) as teams from teams")
    const days = await query<{ day: string; sent: number }>(
      `select day, sum(sent) as sent from stats_days
       where day >= '${new Date(since).toISOString().slice(0, 10)}'
         and team_id in (select id from teams) group by day`,
    )
    const use = { bytes, now, retentionDays, sentByDay: new Map(days.map((d) => [d.day, d.sent])) }
    return {
      ...known,
      teams: row?.teams ?? 0,
      "emails a day": emailsADay(use),
      "full on": fullOn(use) ?? "never at this rate",
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...known, teams: "?", "emails a day": "?", "full on": error.message }
  }
}
