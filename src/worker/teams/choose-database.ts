import type { SQL } from "drizzle-orm"
import { logError } from "../../lib/log.ts"
import { within } from "../../lib/within.ts"
import type { Work } from "../platform/context.ts"
import { jurisdictionOf } from "../platform/db/buckets.ts"
import { insertInto } from "../platform/db/columns.ts"
import { DIRECTORY, databaseEnv, databaseNumbers, workIn } from "../platform/db/databases.ts"
import { ApiError, invalid } from "../platform/http/errors.ts"
import { teamDatabases, teams } from "./table.ts"

export interface NewTeam {
  id: string
  name: string
  createdAt: number
}

const ANSWERS_WITHIN_MS = 3_000

/** Where a new team may be kept. Null stands for databases without a jurisdiction. */
export const listJurisdictions = (work: Work): (string | null)[] => [
  ...new Set(
    databaseNumbers(work.env).map((number) => jurisdictionOf(databaseEnv(work.env, number))),
  ),
]

/**
 * The emptiest database of a jurisdiction, which a team never leaves by itself. A team that asks for none goes to
 * a database without one, and to the jurisdiction of the first database where each has one.
 */
export async function chooseDatabase(work: Work, jurisdiction?: string): Promise<number> {
  const all = listJurisdictions(work)
  const asked = jurisdiction ?? (all.includes(null) ? null : all[0])
  const numbers = databaseNumbers(work.env).filter(
    (number) => jurisdictionOf(databaseEnv(work.env, number)) === asked,
  )
  const [first] = numbers
  if (first === undefined) {
    throw invalid(["jurisdiction"], "No database of this installation is in this jurisdiction")
  }
  if (numbers.length === 1) return first
  const sizes = await Promise.all(numbers.map((number) => sizeOf(workIn(work, number))))
  const [emptiest] = numbers
    .map((number, index) => ({ number, bytes: sizes[index] ?? null }))
    .filter(({ bytes }) => bytes !== null)
    .sort((a, b) => Number(a.bytes) - Number(b.bytes) || a.number - b.number)
  if (!emptiest) throw new ApiError("internal_error", "No database answers. Try again.")
  return emptiest.number
}

/** Every answer of D1 has the size of the database. Null if it does not answer. */
const sizeOf = ({ env }: Work): Promise<number | null> =>
  within(ANSWERS_WITHIN_MS, env.DB.prepare("select 1").run())
    .then(({ meta }) => meta.size_after ?? 0)
    .catch((error: unknown) => {
      logError(error, { database: env.DATABASE ?? DIRECTORY })
      return null
    })

/** Stores the team in its own database, before anybody is its member: nobody finds it until then. */
export async function storeElsewhere(work: Work, team: NewTeam, database: number): Promise<void> {
  if (database !== DIRECTORY) await workIn(work, database).db.insert(teams).values(team)
}

/** For the batch in the directory that adds the first member. */
export const insertTeam = ({ id, name, createdAt }: NewTeam, database: number, from: SQL): SQL =>
  database === DIRECTORY
    ? insertInto(teams, { id, name, createdAt }, from)
    : insertInto(teamDatabases, { teamId: id, name, createdAt, database }, from)
