import { existsSync, writeFileSync } from "node:fs"
import { getPlatformProxy, unstable_readConfig } from "wrangler"
import { localConfig } from "./local-databases.ts"

/**
 * The databases and the bucket of a local state by their bindings, without the rest of the Worker: wrangler warns of
 * a Durable Object whose Worker does not run. The configuration without it is written to `ownConfig`.
 */
export function openLocalDatabases(state: string, ownConfig: string) {
  const config = existsSync(localConfig(state)) ? localConfig(state) : "wrangler.toml"
  const { compatibility_date, d1_databases, r2_buckets } = unstable_readConfig({ config })
  writeFileSync(
    ownConfig,
    JSON.stringify({ name: "seed", compatibility_date, d1_databases, r2_buckets }),
  )
  return getPlatformProxy<Record<string, D1Database>>({
    configPath: ownConfig,
    persist: { path: `${state}/v3` },
    remoteBindings: false,
  })
}
