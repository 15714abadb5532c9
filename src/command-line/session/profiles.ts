import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { UsageError } from "../terminal/failure.ts"
import type { Terminal } from "../terminal/terminal.ts"

export interface Profile {
  baseUrl: string
  apiKey: string
}

interface Profiles {
  /** The name of the profile that commands use by default. */
  current: string
  profiles: Record<string, Profile>
}

export function profilesFile(env: Terminal["env"]): string {
  if (env.EDGEPOST_CONFIG) return env.EDGEPOST_CONFIG
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), ".config")
  return join(folder, "edgepost", "config.json")
}

export function readProfiles(env: Terminal["env"]): Profiles {
  const file = profilesFile(env)
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, "utf8"))
    return { current: String(current), profiles: { ...profiles } }
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return { current: "default", profiles: {} }
    // The parser's own message quotes the file, which contains keys.
    throw new UsageError(`${file} cannot be read: mend or delete the file.`)
  }
}

/** Replaces the file in one step. Only its owner may read it. */
export function writeProfiles(env: Terminal["env"], profiles: Profiles): void {
  const file = profilesFile(env)
  const next = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(next, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: "wx" })
    renameSync(next, file)
  } finally {
    rmSync(next, { force: true })
  }
}
