import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, minifySync, type Plugin, type Rollup } from "vite"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The contract's schemas run in the browser, too: these stand for the modules of Node they use. */
const alias = {
  "node:crypto": here("browser/node-crypto.ts"),
  "node:url": here("browser/node-url.ts"),
}

/**
 * No page writes JSON Schema, what a form holds has no circles, and forms have messages of their own:
 * zod's code for these would be 8 KB of every page with a form.
 */
const zodForForms: Plugin = {
  name: "zod-for-forms",
  transform: {
    filter: { id: /zod\/v4\/classic\/schemas\.js$/ },
    handler: (code) =>
      code
        .replaceAll(/^.*\b(processJSONSchema =|create\w+JSONSchemaMethod\().*$/gm, "")
        .replace("core.config({ memoizer: core.memoizer() })", "")
        .replace("core.config(en())", ""),
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

/** Files that a page loads together. One chunk each, since a chunk of its own costs some 100 bytes. */
const GROUPS = [
  { name: "mail", test: /worker\/campaigns\/(body|blocks\/(render-|look|preheader|markup))/ },
  { name: "frame", test: /dashboard\/ui\/(frame|show-mail)/ },
  {
    name: "blocks",
    test: /pages\/blocks\/(history|theme-form|look-fields|contrast-note|fold|problems|merge-menu|canvas\.)/,
  },
]

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
  plugins: [react(), tailwindcss(), zodForForms, scriptsOfRoutes],
  resolve: { alias },
  // The Worker's assets are the folder above, so that their URLs begin with /dashboard.
  build: {
    outDir: here("../../dist/dashboard/dashboard"),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false } },
    },
    // Small files as data: URLs would need an exception in the content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/dashboard/api", "/dashboard/auth", "/api", "/docs", "/favicon.ico"].map((path) => [
        path,
        { target: process.env.SVC_BASE_URL ?? "http://localhost:8787", headers: {} },
      ]),
    ),
  },
})
