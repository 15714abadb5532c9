import { createHash } from "node:crypto"
import { globSync } from "node:fs"

const DAY_MS = 86_400_000

interface Choice {
  /** A pattern. */
  files: string
  exclude: readonly string[]
  /** Files that run with one database alone. */
  oneDatabase: readonly string[]
  /** Vitest's, as `vitest.config.ts` describes it. */
  mode: string
  /** Days since 1970. */
  day?: number
}

/**
 * The files to run with one database and those to run with three. Of the mode `mixed`, each file has the
 * one today and the other tomorrow, by the hash of its name.
 */
export function chooseDatabases({
  files,
  exclude,
  oneDatabase,
  mode,
  day = Math.floor(Date.now() / DAY_MS),
}: Choice): { one: string[]; several: string[] } {
  const all = globSync(files, { exclude: [...exclude] }).sort()
  const isSpread = (file: string) =>
    !oneDatabase.includes(file) && (mode === "three" || (firstByte(file) + day) % 2 === 0)
  if (mode !== "mixed" && mode !== "three") return { one: all, several: [] }
  const several = all.filter(isSpread)
  return { one: mode === "three" ? [] : all.filter((file) => !isSpread(file)), several }
}

const firstByte = (file: string) => createHash("sha256").update(file).digest().readUInt8()
