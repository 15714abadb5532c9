import { type BoundDatabase, type Database, databaseName } from "../installation.ts"
import { isNoted } from "../settings.ts"
import { inJurisdiction } from "./bucket.ts"
import type { Change } from "./change.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { createQuery, findDatabase, readDatabase } from "./database.ts"
import { Failure, OTHER_NAME } from "./failure.ts"
import { inParallel } from "./in-parallel.ts"
import { type DeployedWorker, findWorker } from "./worker.ts"

/** How many databases an installation gets in all, and where the new ones are. */
export interface WantedDatabases extends Omit<Database, "number"> {
  count?: number
  /** Or how many it gets beside those that it has. */
  more?: number
}

export interface FoundDatabase extends Database {
  name: string
  /** Null if it has to be created. */
  id: string | null
}

/** Databases of the second list that the first one lacks. */
export function missingDatabases(
  known: readonly Database[] = [],
  other: readonly Database[] = [],
): Database[] {
  const numbers = new Set(known.map(({ number }) => number))
  return other.filter((database) => isNoted(database) && !numbers.has(database.number))
}

/**
 * All databases of an installation: those that its file names, those that the Worker works with, and
 * those that are wanted now.
 */
export function planDatabases(
  noted: readonly Database[] = [],
  worker: DeployedWorker | null,
  { count, more = 0, jurisdiction, location }: WantedDatabases,
): Database[] {
  const place = { ...(jurisdiction && { jurisdiction }), ...(location && { location }) }
  const bound = (worker?.databases ?? []).map(({ id: _, ...database }) => database)
  const known = new Map([...bound, ...noted].map((database) => [database.number, database]))
  if (!known.has(1)) known.set(1, { number: 1, ...(known.size === 0 && place) })
  checkJurisdictions(bound, known)
  const last = Math.max(...known.keys())
  // Those that the Worker does not work with yet are of an addition that did not end.
  const total = count ?? Math.max(1, ...bound.map(({ number }) => number)) + more
  if (count !== undefined && count < last) {
    throw new Failure(
      `The installation has ${last} databases.`,
      "A database with its teams is never taken away: give that number or a larger one.",
    )
  }
  for (let number = 2; number <= total; number++) {
    if (!known.has(number)) known.set(number, { number, ...place })
  }
  const all = [...known.values()].sort((one, other) => one.number - other.number)
  if (jurisdiction && !all.some((database) => database.jurisdiction === jurisdiction)) {
    throw new Failure(
      "The jurisdiction of a database that exists cannot change.",
      `Add databases: npm run databases -- add 1 --jurisdiction ${jurisdiction}`,
    )
  }
  return all
}

function checkJurisdictions(bound: readonly Database[], known: ReadonlyMap<number, Database>) {
  for (const { number, jurisdiction } of bound) {
    if (number === 1 || known.get(number)?.jurisdiction === jurisdiction) continue
    throw new Failure(
      `Database ${number} has ${jurisdiction ? `the jurisdiction '${jurisdiction}'` : "no jurisdiction"}, other than its file of settings says.`,
      "The jurisdiction of a database that exists cannot change: correct the file.",
    )
  }
}

export const findDatabases = (
  cloudflare: Cloudflare,
  accountId: string,
  first: string,
  databases: readonly Database[],
): Promise<FoundDatabase[]> =>
  inParallel(databases, async (database) => {
    const name = databaseName(first, database.number)
    return { ...database, name, id: await findDatabase(cloudflare, accountId, name) }
  })

/** An installation `acme-2` and the second database of `acme` have the same name. */
export async function checkOwners(
  cloudflare: Cloudflare,
  accountId: string,
  worker: DeployedWorker | null,
  [first, ...others]: readonly FoundDatabase[],
): Promise<void> {
  const boundTo = (number: number) => worker?.databases.find((one) => one.number === number)?.id
  const [, base, number] = /^(.+)-(\d+)$/.exec(first?.name ?? "") ?? []
  if (base && first?.id && !worker) {
    const other = await findWorker(cloudflare, accountId, base)
    const isTheirs = other?.databases.some(({ id }) => id === first.id)
    if (isTheirs) throw belongsTo(first.name, `database ${number} of the installation '${base}'`)
  }
  for (const { number, name, id } of others) {
    const bound = boundTo(number)
    if (bound && bound !== id) {
      throw new Failure(
        `The Worker works with another database ${number} than '${name}'.`,
        "Give that database this name, or run the command with the account of the Worker.",
      )
    }
    if (bound || !id) continue
    const other = await findWorker(cloudflare, accountId, name)
    if (other?.databaseId === id) throw belongsTo(name, `that of the installation '${name}'`)
  }
}

const belongsTo = (name: string, owner: string) =>
  new Failure(`The database '${name}' is ${owner}.`, OTHER_NAME)

/** The teams of all databases, and their domains that a new provider does not know yet. */
export async function readDatabases(
  cloudflare: Cloudflare,
  accountId: string,
  databases: readonly FoundDatabase[],
  provider: string,
) {
  const states = await inParallel(existing(databases), ({ id, name }) =>
    readDatabase(createQuery(cloudflare, accountId, id, `Reading ${name}`), name, provider),
  )
  const sum = (key: "teams" | "unready") => states.reduce((total, one) => total + one[key], 0)
  return { teams: sum("teams"), unready: sum("unready") }
}

/** The Worker adds the domains of an earlier provider at this one when it checks them. */
export const checkDomainsSoon = (
  cloudflare: Cloudflare,
  accountId: string,
  databases: ReturnType<typeof existing>,
  provider: string,
) =>
  inParallel(databases, ({ id, name }) => {
    const query = createQuery(cloudflare, accountId, id, `Asking for checks of domains in ${name}`)
    return query(`update domains set check_at = 0 where provider <> '${provider}' and check_at > 0`)
  })

export const createChanges = (
  cloudflare: Cloudflare,
  accountId: string,
  databases: readonly FoundDatabase[],
): Change[] =>
  databases
    .filter(({ id }) => id === null)
    .map(({ name, jurisdiction, location }) => ({
      says: `creates the database ${name}${inJurisdiction(jurisdiction)}`,
      apply: () =>
        cloudflare.call(
          `Creating the database ${name}`,
          "POST",
          `/accounts/${accountId}/d1/database`,
          { name, ...(jurisdiction && { jurisdiction }), primary_location_hint: location },
        ),
    }))

export const existing = (databases: readonly FoundDatabase[]) =>
  databases.filter((one): one is FoundDatabase & BoundDatabase => one.id !== null)
