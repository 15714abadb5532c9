import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Part } from "./parts.ts"

export interface Ran {
  name: string
  seconds: number
  passed: boolean
  files: FileTime[]
}

/** How long a test file took. `test/support/file-times.ts` writes them. */
export interface FileTime {
  file: string
  seconds: number
}

/** Runs a part with its output on the terminal. */
export async function runPart({ name, command }: Part): Promise<Ran> {
  console.log(`\n=== ${name}: ${command}\n`)
  const folder = mkdtempSync(join(tmpdir(), "file-times-"))
  const start = performance.now()
  const child = spawn(command, {
    shell: true,
    stdio: "inherit",
    env: { ...process.env, FILE_TIMES: folder },
  })
  const [code] = await once(child, "exit")
  const files = readdirSync(folder).flatMap(
    (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as FileTime[],
  )
  rmSync(folder, { recursive: true })
  return { name, seconds: (performance.now() - start) / 1000, passed: code === 0, files }
}
