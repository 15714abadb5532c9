import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll } from "vitest"
import { emptyInstallation } from "./empty-installation.ts"
import { databasesOf } from "./installation.ts"

beforeAll(async () => {
  for (const db of databasesOf(env)) await applyD1Migrations(db, env.TEST_MIGRATIONS)
  await emptyInstallation()
})
