import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, minifySync, type Plugin, type Rollup } from "vite"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Code of the Worker runs in the browser, too: these stand for modules that it has no need of there. */
const alias = [
  { find: "node:crypto", replacement: here("browser/node-crypto.ts") },
  { find: "node:url", replacement: here("browser/node-url.ts") },
  { find: "entities/decode", replacement: here("browser/entities-decode.ts") },
  { find: /^.*\/html-tokens\.ts$/, replacement: here("browser/html-tokens.ts") },
]

/** What no form uses of zod's schemas, and what stands in its place. */
const UNUSED_OF_ZOD: readonly (readonly [RegExp, string])[] = [
  // No page writes JSON Schema, and no form asks a schema for its limits.
  [/^.*\b(processJSONSchema =|create\w+JSONSchemaMethod\().*$/gm, ""],
  [/processors\.aggregateChecks\(inst\)/g, "({})"],
  // What a form holds has no circles, and forms have messages of their own.
  [/core\.config\(\{ memoizer: core\.memoizer\(\) \}\)/g, ""],
  [/core\.config\(en\(\)\)/g, ""],
  // The security policy refuses the code that it writes.
  [/\$ZodObjectJIT\b/g, "$$ZodObject"],
  // `z.string().email()` and the like. The contract has `z.email()`.
  [/(const ZodString = .*\n.*\n.*\n\}), \{\n( {4}.*\n)*\}\);/, "$1);"],
]

/** Together, they would be 12 KB of every page with a form. */
const zodForForms: Plugin = {
  name: "zod-for-forms",
  transform: {
    filter: { id: /zod\/v4\/classic\/schemas\.js$/ },
    handler: (code) =>
      UNUSED_OF_ZOD.reduce((rest, [unused, instead]) => {
        const next = rest.replace(unused, instead)
        if (next === rest) throw new Error(`zod has no ${unused} any more`)
        return next
      }, code),
  },
}

const ICONS = here("../../node_modules/lucide-react/dist/esm/lucide-react.mjs")

/** Imports each icon from its own file: by the index, every page would count as one that shows all of them. */
const iconsByFile: Plugin = {
  name: "icons-by-file",
  apply: "build",
  transform: {
    filter: { code: /from "lucide-react"/ },
    handler(code) {
      const index = readFileSync(ICONS, "utf8")
      const importOf = (named: string) => {
        const [name, , as = name] = named.split(" ")
        const file = new RegExp(`\\bdefault as ${name}\\b.* from './(.*)'`).exec(index)?.[1]
        return `import ${as} from "${ICONS.replace(/[^/]*$/, String(file))}"`
      }
      return code.replace(/import \{([^}]*)\} from "lucide-react"/g, (_, names: string) =>
        names
          .split(",")
          .map((name) => importOf(name.trim()))
          .join("; "),
      )
    },
  },
}

/**
 * Writes into the page which scripts each route needs, so that `first.js` asks for them beside the
 * main script and not after it.
 */
const scriptsOfRoutes: Plugin = {
  name: "scripts-of-routes",
  writeBundle({ dir }) {
    const file = `${dir}/first.js`
    writeFileSync(file, minifySync(file, readFileSync(file, "utf8")).code)
  },
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle }) {
      if (!bundle) return html
      const scripts = JSON.stringify(findScripts(bundle)).replaceAll('"', "&quot;")
      return html.replace('<script src="/dashboard/first.js"', `$& data-scripts="${scripts}"`)
    },
  },
}

/**
 * Files that pages load together. Each chunk of its own costs some 100 bytes and a request, of which
 * six run at a time over HTTP/1.1.
 */
const GROUPS = [
  {
    name: "list",
    test: /@tanstack\/(virtual-core|react-virtual)|dashboard\/(ui\/(list\/(list|selection|searched-back)|export\/(export-button|for-each)|still)|api\/live-pages|app\/(palette\/objects|places)|pages\/emails\/(columns|cancel-emails|search\/(marks|view-query|query)|email\/recipients))/,
  },
  {
    name: "schemas",
    test: /\/zod\/|platform\/http\/(shapes|endpoint|example|page)|lib\/id\.|dashboard\/browser\/node-crypto/,
  },
  { name: "form", test: /react-hook-form|dashboard\/ui\/form\/(form|issue-words)\./ },
  { name: (id: string) => (isCommon(id) ? "common" : null) },
  {
    name: "mail",
    test: /worker\/campaigns\/blocks\/(render-(block|html|columns)|author-html|look|preheader|markup|column-shares)/,
  },
  {
    name: "blocks",
    test: /pages\/blocks\/(canvas\/(history|fold|merge-menu|canvas\.)|look\/(theme-form|look-fields|contrast-note)|problems)/,
  },
]

/** How many pages cannot be shown without a file. */
const pagesWith = new Map<string, number>()
const MIN_PAGES = 16
const MIN_PAGES_OF_ICON = 3
/** Only the palette uses them. The index of their library has them for every page. */
const OF_PALETTE = /useQueries|queriesObserver/
const isCommon = (id: string) =>
  !OF_PALETTE.test(id) &&
  (pagesWith.get(id) ?? 0) >= (id.includes("/icons/") ? MIN_PAGES_OF_ICON : MIN_PAGES)

/** What most pages need comes in one file with the main script. */
const countPages: Plugin = {
  name: "count-pages",
  buildEnd() {
    const closure = (id: string, found = new Set<string>()) => {
      if (found.has(id)) return found
      found.add(id)
      for (const one of this.getModuleInfo(id)?.importedIds ?? []) closure(one, found)
      return found
    }
    pagesWith.clear()
    const router = readFileSync(here("app/router.tsx"), "utf8")
    const main = closure(here("main.tsx"))
    main.delete(here("main.tsx"))
    for (const [, , module = ""] of router.matchAll(ROUTE)) {
      for (const id of new Set([...main, ...closure(here(module))])) {
        pagesWith.set(id, (pagesWith.get(id) ?? 0) + 1)
      }
    }
  },
}

/** Not the modules of the folder `api`, which the server of `npm run dashboard` serves under the same path. */
const OF_THE_API = "^/dashboard/api/(?![\\w-]+\\.ts)"

const ROUTE = /\b(?:page|open)\("([^"]+)", \(\) => import\("\.\.\/(pages\/[^"]+)"\)\)/g

function findScripts(bundle: Rollup.OutputBundle) {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk")
  const withImports = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    const chunk = chunks.find(({ fileName }) => fileName === name)
    for (const one of chunk?.imports ?? []) withImports(one, found)
    return found
  }
  const main = withImports(chunks.find(({ isEntry }) => isEntry)?.fileName ?? "")
  const files: string[] = []
  const indexOf = (name: string) => {
    const index = files.indexOf(name)
    return index < 0 ? files.push(name) - 1 : index
  }
  const router = readFileSync(here("app/router.tsx"), "utf8")
  const pages = [...router.matchAll(ROUTE)].map(([, route = "", module = ""]) => {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === here(module))
    if (!chunk) throw new Error(`The page ${module} has no chunk of its own`)
    const needed = [...withImports(chunk.fileName)].filter((name) => !main.has(name))
    return [route, needed.map((name) => indexOf(name.replace(/^assets\//, "")))]
  })
  return { files, pages: Object.fromEntries(pages) }
}

export default defineConfig({
  root: here("."),
  base: "/dashboard/",
  plugins: [react(), tailwindcss(), zodForForms, iconsByFile, countPages, scriptsOfRoutes],
  resolve: { alias },
  // The Worker's assets are the folder above, so that their URLs begin with /dashboard.
  build: {
    outDir: here("../../dist/dashboard/dashboard"),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Code of the Worker does nothing when it is loaded, so a page may use a constant of a contract without its schemas.
      treeshake: { moduleSideEffects: [{ test: /src\/(worker|lib)\//, sideEffects: false }] },
      optimization: { inlineConst: true },
      output: {
        codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false },
        // Each page has the names of all files in it.
        chunkFileNames: "assets/[hash:7].js",
      },
    },
    // Small files as data: URLs would need an exception in the content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      [OF_THE_API, "/dashboard/auth", "/api", "/docs", "/favicon.ico"].map((path) => [
        path,
        { target: process.env.SVC_BASE_URL ?? "http://localhost:8787", headers: {} },
      ]),
    ),
  },
})
