import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { VERSION } from "../lib/version.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const dist = join(root, "dist")
const folder = join(dist, "package")
const scratch = join(dist, "scratch")

/** The entries of the package, and the file of the client for each entry. */
const ENTRIES = { index: "index", webhooks: "receiver", react: "react" }
const sources = Object.entries(ENTRIES).map(([name, file]) => ({
  in: join(root, `src/client/${file}.ts`),
  out: name,
}))

const COMMAND = join(root, "src/operations/edgepost.ts")

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
  bin: { edgepost: "command.js" },
  peerDependencies: { react: ">=18", "react-dom": ">=18" },
  peerDependenciesMeta: { react: { optional: true }, "react-dom": { optional: true } },
}

/** Writes the client library and the command as a package that npm installs. The same sources make the same bytes. */
export async function pack(target: string): Promise<void> {
  for (const one of [folder, scratch]) {
    rmSync(one, { recursive: true, force: true })
    mkdirSync(one, { recursive: true })
  }
  await writeCode()
  writeTypes()
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(root, "src/client/README.md"), join(folder, "README.md"))
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  // The bundle of the command contains commander.
  copyFileSync(join(root, "node_modules/commander/LICENSE"), join(folder, "LICENSE-commander"))
  run("npm", ["pack", "--silent", "--pack-destination", scratch], folder)
  renameSync(join(scratch, `edgepost-${VERSION}.tgz`), target)
  rmSync(scratch, { recursive: true })
}

/** The entries share a chunk, so that all of them see the renderer of `edgepost/react`. */
async function writeCode(): Promise<void> {
  const shared = { outdir: folder, bundle: true, format: "esm", minifySyntax: true } as const
  await build({
    ...shared,
    entryPoints: sources,
    splitting: true,
    platform: "neutral",
    target: "es2022",
    chunkNames: "shared-[hash]",
    external: ["react", "react-dom/server"],
    mainFields: ["module", "main"],
  })
  const entryPoints = [{ in: COMMAND, out: "command" }]
  // commander is CommonJS, so the bundle needs a `require` for Node's modules.
  const js = `import { createRequire } from "node:module"
const require = createRequire(import.meta.url)`
  await build({ ...shared, entryPoints, platform: "node", target: "node20", banner: { js } })
}

/** Declarations of the client. Its types use no other folder. */
function writeTypes(): void {
  const config = join(scratch, "tsconfig.json")
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    declaration: true,
    rootDir: join(root, "src"),
    outDir: scratch,
  }
  const files = sources.map((source) => source.in)
  const extended = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }
  writeFileSync(config, JSON.stringify(extended))
  run("npx", ["tsc", "-p", config], root)
  renameSync(join(scratch, "client"), join(folder, "types"))
  for (const name of readdirSync(join(folder, "types"))) {
    const file = join(folder, "types", name)
    // Other projects' compilers refuse `.ts` in an import.
    writeFileSync(file, readFileSync(file, "utf8").replace(/(from "\.[^"]*)\.ts"/g, '$1.js"'))
  }
}

function run(command: string, args: string[], cwd: string): void {
  const shell = process.platform === "win32"
  execFileSync(command, args, { cwd, shell, stdio: ["ignore", "ignore", "inherit"] })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await pack(join(dist, "edgepost.tgz"))
  console.log("dist/edgepost.tgz")
}
