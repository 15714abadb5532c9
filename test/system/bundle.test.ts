import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"

const BUDGET_KIB = 750
/** Gzipped: what the start of the Worker evaluates, and with it the first call that sends nothing. */
const START_BUDGET_KB = 118
const CALL_BUDGET_KB = 270

interface Bundle {
  inputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
}

const directory = mkdtempSync(join(tmpdir(), "edgepost-bundle-"))
let printed: string
let bundle: Bundle

beforeAll(() => {
  const args = ["deploy", "--dry-run", "--outdir", directory, "--metafile"]
  const { stdout } = spawnSync("wrangler", args, {
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  })
  printed = stdout
  bundle = JSON.parse(readFileSync(join(directory, "bundle-meta.json"), "utf8"))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The files that are evaluated with these of `src/worker`: all but what `import()` loads. */
function evaluatedWith(...files: string[]): Set<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    for (const { path: next, kind, external } of bundle.inputs[path]?.imports ?? []) {
      if (kind !== "dynamic-import" && !external) visit(next)
    }
  }
  for (const file of files) {
    visit(Object.keys(bundle.inputs).find((path) => path.endsWith(`src/worker/${file}`))!)
  }
  return found
}

/** As if each file was compressed as well as the whole bundle. */
function gzippedKb(paths: Iterable<string>): number {
  const sizes = Object.assign({}, ...Object.values(bundle.outputs).map(({ inputs }) => inputs))
  const bytes = [...paths].reduce((sum, path) => sum + (sizes[path]?.bytesInOutput ?? 0), 0)
  const whole = readFileSync(join(directory, "index.js"))
  return (bytes * (gzipSync(whole).length / whole.length)) / 1_000
}

it(`the Worker's bundle stays under ${BUDGET_KIB} KiB gzipped`, () => {
  const gzipped = /gzip: ([\d.]+) KiB/.exec(printed)?.[1]
  expect(Number(gzipped)).toBeLessThan(BUDGET_KIB)
})

it(`the start evaluates at most ${START_BUDGET_KB} KB, and of the calls only those that send`, () => {
  const evaluated = evaluatedWith("index.ts")
  const all = Object.keys(bundle.inputs)
  const ofCalls = (path: string) => /src\/worker\/.*routes\.ts$/.test(path)
  expect(all.filter(ofCalls).length).toBeGreaterThan(25)
  expect([...evaluated].filter(ofCalls).map((path) => path.replace(/.*src\//, ""))).toEqual([
    "worker/emails/accept/routes.ts",
  ])
  expect(evaluated.size).toBeGreaterThan(200)
  expect(gzippedKb(evaluated)).toBeGreaterThan(90)
  expect(gzippedKb(evaluated)).toBeLessThan(START_BUDGET_KB)
})

it(`the first call that sends nothing evaluates at most ${CALL_BUDGET_KB} KB, and renders nothing`, () => {
  const evaluated = evaluatedWith("index.ts", "app.ts")
  expect(gzippedKb(evaluated)).toBeLessThan(CALL_BUDGET_KB)
  const ofHtml = [...evaluated].filter((path) => path.includes("node_modules/htmlparser2/"))
  expect(ofHtml).toEqual([])
})

it("the Worker has none of the reference's texts: the build has written them", () => {
  const ofReference = Object.keys(bundle.inputs).filter((path) => path.includes("src/reference/"))
  expect(ofReference).toEqual([])
})
