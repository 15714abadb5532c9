import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The contract's schemas run in the browser, too: these stand for the modules of Node they use. */
const alias = {
  "node:crypto": here("browser/node-crypto.ts"),
  "node:url": here("browser/node-url.ts"),
}

export default defineConfig({
  root: here("."),
  base: "/dashboard/",
  plugins: [react(), tailwindcss()],
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
