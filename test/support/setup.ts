import { env } from "cloudflare:workers"
import { beforeAll } from "vitest"
import { migrate } from "../../src/worker/platform/installation/migrate.ts"
import { MIGRATIONS, prepare } from "../../src/worker/platform/installation/prepare.ts"
import { emptyInstallation } from "./empty-installation.ts"
import { databasesOf, workerEnv } from "./installation.ts"

beforeAll(async () => {
  for (const db of databasesOf(env)) await migrate(db, MIGRATIONS)
  await prepare(workerEnv())
  await emptyInstallation()
})
