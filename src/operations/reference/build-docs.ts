import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { build } from "esbuild"
import { readContents } from "../../reference/contents.ts"
import { openApiText } from "../../reference/document.ts"
import { type PageFiles, toPage } from "../../reference/html/page.ts"
import { toLlmsText } from "../../reference/llms.ts"
import { toMarkdown } from "../../reference/markdown.ts"
import {
  BUILT_ORIGIN,
  DOCS_ASSETS,
  toBuilt,
} from "../../worker/platform/http/openapi/built-docs.ts"

/** Writes all forms of the reference into a folder of the Worker's assets. */
export async function buildDocs(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const groups = readContents(BUILT_ORIGIN)
  const documents = {
    "index.html": await toPage(groups, await buildFiles(join(folder, "assets"))),
    "reference.md": toMarkdown(groups, BUILT_ORIGIN),
    "llms.txt": toLlmsText(groups, BUILT_ORIGIN),
    "openapi.json": openApiText(BUILT_ORIGIN),
  }
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(folder, name), toBuilt(text))
  }
}

/** The page's style, script and fonts. Their names change with their content. */
async function buildFiles(outdir: string): Promise<PageFiles> {
  const { metafile } = await build({
    entryPoints: ["src/reference/browser/style.css", "src/reference/browser/page.ts"],
    outdir,
    bundle: true,
    minify: true,
    metafile: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox128", "safari16.4"],
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
    logLevel: "error",
  })
  const names = Object.keys(metafile.outputs).map((path) => basename(path))
  const file = (pattern: RegExp) => DOCS_ASSETS + names.find((name) => pattern.test(name))
  return {
    style: file(/\.css$/),
    script: file(/\.js$/),
    fonts: [file(/^inter.*\.woff2$/)],
  }
}
