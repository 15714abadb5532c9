import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"

const BUDGET_KIB = 500

it(`the Worker's bundle stays under ${BUDGET_KIB} KiB gzipped`, () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-bundle-"))
  try {
    const { stdout } = spawnSync("wrangler", ["deploy", "--dry-run", "--outdir", directory], {
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    })
    const gzipped = /gzip: ([\d.]+) KiB/.exec(stdout)?.[1]
    expect(Number(gzipped)).toBeLessThan(BUDGET_KIB)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
