import { join } from "node:path"
import { openLocalDatabases } from "../../src/operations/local/local-platform.ts"
import { migrations } from "../../src/operations/migrations.ts"
import { migrate } from "../../src/worker/platform/installation/migrate.ts"

/**
 * Uses the databases of the local state in a directory. wrangler's own commands take seconds for each
 * statement.
 */
export async function useLocalDatabases<T>(
  directory: string,
  use: (databases: Record<string, D1Database>) => Promise<T>,
): Promise<T> {
  const state = join(directory, ".wrangler/state")
  const { env, dispose } = await openLocalDatabases(state, join(directory, "databases.json"))
  try {
    return await use(env)
  } finally {
    await dispose()
  }
}

export const migrateLocal = (directory: string) =>
  useLocalDatabases(directory, async (databases) => {
    for (const [name, database] of Object.entries(databases)) {
      if (name.startsWith("DB")) await migrate(database, migrations())
    }
  })
