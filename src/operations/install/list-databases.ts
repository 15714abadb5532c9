import { DAY_MS } from "../../lib/time.ts"
import { emailsADay, fullOn } from "../capacity.ts"
import type { BoundDatabase } from "../installation.ts"
import { notedDatabases } from "../settings.ts"
import { findAccount } from "./account.ts"
import { type Cloudflare, Failure } from "./cloudflare.ts"
import { createQuery } from "./database.ts"
import { inParallel } from "./in-parallel.ts"
import { findWorker } from "./worker.ts"

const MEGABYTE = 1_000_000
const DEFAULT_RETENTION_DAYS = 90

interface Row {
  number: number
  name: string
  jurisdiction: string
  teams: number | string
  size: string
  "emails a day": number | string
  "full on": string
}

/** A row for each database that the Worker works with. One that does not answer says so in its row. */
export async function listDatabases(
  wanted: { name: string; accountId?: string },
  cloudflare: Cloudflare,
): Promise<Row[]> {
  const account = await findAccount(cloudflare, wanted.accountId)
  const worker = await findWorker(cloudflare, account.id, wanted.name)
  if (!worker?.databaseId) {
    throw new Failure(
      `The account ${account.name} has no installation '${wanted.name}'.`,
      "Deploy it: npm run deploy -- URL.",
    )
  }
  const noted = await notedDatabases(wanted.name)
  const retentionDays = Number(worker.vars.RECORD_RETENTION_DAYS ?? DEFAULT_RETENTION_DAYS)
  return inParallel(worker.databases, (database) =>
    describeDatabase(
      cloudflare,
      account.id,
      { ...noted.find(({ number }) => number === database.number), ...database },
      retentionDays,
    ),
  )
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
       where day >= '${new Date(since).toISOString().slice(0, 10)}' group by day`,
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
