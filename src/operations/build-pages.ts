import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** Written after each build: its time is the time of the last build. */
const STAMP = "dist/dashboard/built"
/** The pages use the client library and the contract, so any source may change them. */
const SOURCES = ["src", "package-lock.json"]

const newest = (path: string): number =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs

/** Builds the dashboard, the reference and the client's package, if a source is newer than the last build. */
export async function buildPages() {
  if (existsSync(STAMP) && statSync(STAMP).mtimeMs > Math.max(...SOURCES.map(newest))) return
  rmSync(STAMP, { force: true })
  // Loading these takes longer than finding out that nothing changed.
  const { build } = await import("vite")
  const { buildDocs } = await import("./reference/build-docs.ts")
  const { pack } = await import("./pack.ts")
  // Vite would keep the NODE_ENV of a test and build for development.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = "production"
  await build({ configFile: "src/dashboard/vite.config.ts", logLevel: "error" })
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
  await buildDocs("dist/dashboard/docs")
  await pack("dist/dashboard/edgepost.tgz")
  writeFileSync(STAMP, "")
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildPages()
