import { env } from "cloudflare:workers"
import { beforeAll } from "vitest"
import { migrate } from "../../src/worker/platform/installation/migrate.ts"
import { prepare, readMigrations } from "../../src/worker/platform/installation/prepare.ts"
import { emptyInstallation } from "./empty-installation.ts"
import { databasesOf, workerEnv } from "./installation.ts"
import { makeStrict } from "./strict.ts"

makeStrict()

beforeAll(async () => {
  const migrations = await readMigrations()
  for (const db of databasesOf(env)) await migrate(db, migrations)
  await prepare(workerEnv())
  await emptyInstallation()
})
