import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll } from "vitest"
import "./lazy-modules.ts"
import { emptyInstallation } from "./empty-installation.ts"

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  await emptyInstallation()
})
