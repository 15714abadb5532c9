import { createHash } from "node:crypto"
import { globSync } from "node:fs"

const DAY_MS = 86_400_000

interface Choice {
  /** A pattern. */
  files: string
  exclude: readonly string[]
  /** Files that run with one database alone. */
  oneDatabase: readonly string[]
  asked?: string
  /** Days since 1970. */
  day?: number
}

/**
 * The files to run with one database and those to run with three. `DATABASES=1`, the default, runs
 * all with one, and `DATABASES=3` with three. With `DATABASES=mixed`, each file has the one today and
 * the other tomorrow, by the hash of its name.
 */
export function chooseDatabases({
  files,
  exclude,
  oneDatabase,
  asked = process.env.DATABASES ?? "1",
  day = Math.floor(Date.now() / DAY_MS),
}: Choice): { one: string[]; several: string[] } {
  const all = globSync(files, { exclude: [...exclude] }).sort()
  const isSpread = (file: string) =>
    !oneDatabase.includes(file) && (asked === "3" || (firstByte(file) + day) % 2 === 0)
  if (asked === "1") return { one: all, several: [] }
  const several = all.filter(isSpread)
  return { one: asked === "3" ? [] : all.filter((file) => !isSpread(file)), several }
}

const firstByte = (file: string) => createHash("sha256").update(file).digest().readUInt8()
