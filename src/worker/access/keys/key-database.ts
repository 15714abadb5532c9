import { eq, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseNumber, databaseNumbers } from "../../platform/db/databases.ts"
import type { Env } from "../../platform/env.ts"
import { teamDatabases } from "../../teams/table.ts"
import { databaseOfHash } from "./secret.ts"
import { apiKeys, keyTeams } from "./table.ts"

/** The database to ask for a key. A wrong guess costs a look into the directory. */
export function likelyDatabase(env: Env, secretHash: string): number {
  const number = databaseOfHash(secretHash)
  return databaseNumbers(env).includes(number) ? number : DIRECTORY
}

/** The key's database, by the directory. Undefined for an unknown key. */
export async function findDatabase({ directory }: Work, secretHash: string) {
  const [[elsewhere], [here]] = await directory.batch([
    directory
      .select({ database: teamDatabases.database })
      .from(keyTeams)
      .innerJoin(teamDatabases, eq(teamDatabases.teamId, keyTeams.teamId))
      .where(eq(keyTeams.secretHash, secretHash)),
    directory
      .select({ database: sql<number>`${DIRECTORY}` })
      .from(apiKeys)
      .where(eq(apiKeys.secretHash, secretHash)),
  ])
  return (elsewhere ?? here)?.database
}

/** Before the key is stored: a key that never comes to be leaves a harmless row. */
export async function registerKey(work: Work, secretHash: string, teamId: string): Promise<void> {
  if (databaseNumber(work.env) === DIRECTORY) return
  await work.directory.insert(keyTeams).values({ secretHash, teamId }).onConflictDoNothing()
}
