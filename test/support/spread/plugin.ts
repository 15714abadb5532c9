import { fileURLToPath } from "node:url"
import type { Plugin } from "vite"

const ENV = fileURLToPath(new URL("env.ts", import.meta.url))
const TESTS = fileURLToPath(new URL("../../", import.meta.url))

/**
 * With several databases, the tests have the environment of their teams. The Worker has its own. Tests with one
 * database load the same modules, so that all share their cache.
 */
export const spread = (): Plugin => ({
  name: "spread",
  enforce: "pre",
  resolveId: (source, importer = "") =>
    source === "cloudflare:workers" && importer.startsWith(TESTS) && importer !== ENV ? ENV : null,
})

/** The names of the further databases, as `npm run deploy` binds them. */
export const furtherDatabases = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count - 1 }, (_, index) => [`DB_${index + 2}`, `further-${index + 2}`]),
  )
