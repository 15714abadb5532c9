import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

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

export default defineConfig({
  root: here("."),
  base: "/dashboard/",
  plugins: [react(), tailwindcss(), zodForForms],
  resolve: { alias },
  // The Worker's assets are the folder above, so that their URLs begin with /dashboard.
  build: {
    outDir: here("../../dist/dashboard/dashboard"),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
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
