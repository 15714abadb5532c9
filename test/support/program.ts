import { spawnSync } from "node:child_process"

/** Whether a program is on this machine. The tests that need a missing one are left out, with a warning. */
export function hasProgram(name: string, { debian = name, version = "--version" } = {}): boolean {
  const isThere = spawnSync(name, [version]).status === 0
  if (!isThere) console.warn(`${name} is not installed (apt-get install ${debian}): not tried.`)
  return isThere
}
