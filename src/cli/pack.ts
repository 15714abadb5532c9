import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { VERSION } from "../client/version.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const dist = join(root, "dist")
const folder = join(dist, "package")

/** The entries of the package, by the file of the client that is behind each. */
const ENTRIES = { index: "index", webhooks: "receiver", react: "react" }

const exported = (name: keyof typeof ENTRIES) => ({
  types: `./types/${ENTRIES[name]}.d.ts`,
  default: `./${name}.js`,
})

const manifest = {
  name: "edgepost",
  version: VERSION,
  description: "Client of Edgepost, the email sending service on your own Cloudflare account",
  license: "MIT",
  type: "module",
  sideEffects: ["./react.js"],
  engines: { node: ">=20" },
  exports: {
    ".": exported("index"),
    "./webhooks": exported("webhooks"),
    "./react": exported("react"),
    "./package.json": "./package.json",
  },
  peerDependencies: { react: ">=18", "react-dom": ">=18" },
  peerDependenciesMeta: { react: { optional: true }, "react-dom": { optional: true } },
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await build({
  entryPoints: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, file]) => [name, join(root, "src/client", `${file}.ts`)]),
  ),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  // The entries share what `edgepost/react` registers.
  chunkNames: "shared-[hash]",
  external: ["react", "react-dom/server"],
  mainFields: ["module", "main"],
  minifySyntax: true,
})
writeTypes()
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
execFileSync("npm", ["pack", "--pack-destination", dist], { cwd: folder, stdio: "ignore" })
renameSync(join(dist, `edgepost-${VERSION}.tgz`), join(dist, "edgepost.tgz"))
console.log("dist/edgepost.tgz")

/** Declarations of the client alone: its types name no other folder. */
function writeTypes(): void {
  const config = join(dist, "tsconfig.client.json")
  const files = Object.values(ENTRIES).map((file) => join(root, "src/client", `${file}.ts`))
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, "src"),
    outDir: join(dist, "types"),
  }
  const extended = { extends: "../tsconfig.json", compilerOptions, include: [], files }
  writeFileSync(config, JSON.stringify(extended))
  rmSync(join(dist, "types"), { recursive: true, force: true })
  execFileSync("npx", ["tsc", "-p", config], { cwd: root, stdio: "inherit" })
  renameSync(join(dist, "types/client"), join(folder, "types"))
  for (const name of readdirSync(join(folder, "types"))) {
    const file = join(folder, "types", name)
    // A package is read by compilers that take no `.ts` in an import.
    writeFileSync(file, readFileSync(file, "utf8").replace(/(from "\.[^"]*)\.ts"/g, '$1.js"'))
  }
}
