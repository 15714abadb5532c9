import { env } from "cloudflare:workers"
import { beforeAll, beforeEach } from "vitest"
import { migrate } from "../../src/worker/platform/installation/migrate.ts"
import { prepare, readMigrations } from "../../src/worker/platform/installation/prepare.ts"
import { emptyInstallation } from "./empty-installation.ts"
import { databasesOf, workerEnv } from "./installation.ts"
import { forgetPuts, makeStrict } from "./strict.ts"

makeStrict()
beforeEach(forgetPuts)

beforeAll(async () => {
  const migrations = await readMigrations()
  for (const db of databasesOf(env)) await migrate(db, migrations)
  await prepare(workerEnv())
  await emptyInstallation()
})
