import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, printTable } from "./table.ts"

const STARTS = 5

const wrangler = (args: string[]) =>
  spawnSync("wrangler", args, {
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  })

/** The CPU time of a start, and what each dependency adds to the bundle. */
export function printSizes() {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-size-"))
  try {
    const starts = Array.from({ length: STARTS }, () => activeMs(directory)).filter(Number.isFinite)
    console.log(`\nStart-up: ${median(starts).toFixed(0)} ms of CPU, median of ${starts.length}`)
    printShares(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** `wrangler check startup` profiles the start; idle samples do not count. */
function activeMs(directory: string): number {
  const file = join(directory, "start.cpuprofile")
  const { stderr, status } = wrangler(["check", "startup", "--outfile", file])
  if (status !== 0) throw new Error(stderr)
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"))
  const idle = new Set(
    nodes.flatMap(({ id, callFrame }: { id: number; callFrame: { functionName: string } }) =>
      ["(idle)", "(program)"].includes(callFrame.functionName) ? id : [],
    ),
  )
  return (
    samples.reduce(
      (sum: number, id: number, index: number) => sum + (idle.has(id) ? 0 : timeDeltas[index]),
      0,
    ) / 1000
  )
}

function printShares(directory: string) {
  const { stdout } = wrangler(["deploy", "--dry-run", "--metafile", "--outdir", directory])
  console.log(`Bundle: ${/Total Upload: (.*)/.exec(stdout)?.[1]}`)
  const { outputs } = JSON.parse(readFileSync(join(directory, "bundle-meta.json"), "utf8"))
  const bytes = new Map<string, number>()
  for (const { inputs } of Object.values<{ inputs: Record<string, { bytesInOutput: number }> }>(
    outputs,
  )) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
      const owner = name ?? "our own code"
      bytes.set(owner, (bytes.get(owner) ?? 0) + bytesInOutput)
    }
  }
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0)
  printTable(
    ["dependency", "KiB, minified", "share"],
    [...bytes]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, size]) => [
        name,
        (size / 1024).toFixed(1),
        `${((100 * size) / total).toFixed(1)} %`,
      ]),
  )
}
