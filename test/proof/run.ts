import { spawnSync } from "node:child_process"

/** Runs files of the project `proof`, which `npm test` leaves out. Whether all tests passed. */
export function runProof(path: string, settings: Record<string, string> = {}): boolean {
  const { status } = spawnSync(
    "vitest",
    ["run", path, "--project", "proof", "--disable-console-intercept"],
    { stdio: "inherit", env: { ...process.env, ...settings } },
  )
  process.exitCode = status ?? 1
  return status === 0
}
