import { existsSync, readFileSync } from "node:fs"

/** A database in a backup. */
export interface BackupPart {
  number: number
  /** Of Time Travel. A local database has none. */
  bookmark: string | null
}

interface Note {
  at: string
  /** Absent in a backup of one database. */
  databases?: BackupPart[]
}

/** The file of a database: `FILE.sql` of the first one, `FILE.2.sql` of the second. */
export const partFile = (file: string, number: number) =>
  number === 1 ? file : file.replace(/\.sql$/, `.${number}.sql`)

/** The note beside a backup, or null. */
export const readNote = (file: string): Note | null =>
  existsSync(`${file}.json`) ? (JSON.parse(readFileSync(`${file}.json`, "utf8")) as Note) : null

/** The numbers of the databases in a backup. */
export const backedUpNumbers = (file: string): number[] =>
  readNote(file)?.databases?.map(({ number }) => number) ?? [1]
