import { chunk } from "../../lib/chunk.ts"
import { firstIdAt } from "../../lib/id.ts"
import { HOUR_MS } from "../../lib/time.ts"
import { type ChangeType, KEPT_CHANGES, KEPT_HOURS } from "./contract.ts"

const KEPT_MS = KEPT_HOURS * HOUR_MS
/** A row holds up to 2 MB, and each row is billed. */
const CHANGES_A_ROW = 1_000
const REMOVED_A_ROW = 10

export interface ToldChange {
  type: ChangeType
  id: string
}

/** Changes that are published together. A stream publishes each announcement once. */
export interface Announcement {
  /** `pub_`, time-ordered. */
  id: string
  changes: ToldChange[]
}

/** Changes that were published together: `last` is the sequence of the last one. */
export interface Publication {
  last: number
  changes: ToldChange[]
}

export type History = ReturnType<typeof createHistory>

/** The publications of a team's stream, in the object's own database: one a row. */
export function createHistory(sql: SqlStorage) {
  sql.exec(`CREATE TABLE IF NOT EXISTS publications (
    last_sequence INTEGER PRIMARY KEY NOT NULL,
    changes TEXT NOT NULL,
    published_at INTEGER NOT NULL
  )`)
  sql.exec("CREATE TABLE IF NOT EXISTS told (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID")

  let newest =
    sql.exec<{ last: number | null }>("SELECT max(last_sequence) AS last FROM publications").one()
      .last ?? 0

  /** Each new row removes some old ones. The newest row stays: the sequence goes on from it. */
  const prune = (now: number) =>
    sql.exec(
      `DELETE FROM publications WHERE last_sequence IN (
        SELECT last_sequence FROM publications ORDER BY last_sequence LIMIT ${REMOVED_A_ROW}
      ) AND (last_sequence <= ? OR published_at < ?)`,
      newest - KEPT_CHANGES,
      now - KEPT_MS,
    )

  /** By then the outbox has deleted the announcements. */
  const forget = (now: number) =>
    sql.exec(
      `DELETE FROM told WHERE id IN (SELECT id FROM told WHERE id < ? ORDER BY id LIMIT ${REMOVED_A_ROW})`,
      firstIdAt("publication", now - KEPT_MS),
    )

  const isTold = (id: string) =>
    sql.exec("SELECT 1 FROM told WHERE id = ?", id).toArray().length > 0

  return {
    /** The sequence of the last change. */
    newest: () => newest,

    untold: (ids: readonly string[]): string[] => ids.filter((id) => !isTold(id)),

    append({ id, changes }: Announcement, now: number): Publication[] {
      if (isTold(id)) return []
      sql.exec("INSERT INTO told VALUES (?)", id)
      forget(now)
      return chunk(changes, CHANGES_A_ROW).map((part) => {
        newest += part.length
        sql.exec(
          "INSERT INTO publications VALUES (?, ?, ?)",
          newest,
          JSON.stringify(part.map(({ type, id }) => [type, id])),
          now,
        )
        prune(now)
        return { last: newest, changes: part }
      })
    },

    /** The first publication beyond this sequence, without the changes up to it. */
    next(sequence: number): Publication | undefined {
      if (sequence === newest) return undefined
      const [row] = sql
        .exec<{ last_sequence: number; changes: string }>(
          `SELECT last_sequence, changes FROM publications
           WHERE last_sequence > ? ORDER BY last_sequence LIMIT 1`,
          sequence,
        )
        .toArray()
      if (!row) return undefined
      const changes = (JSON.parse(row.changes) as [ChangeType, string][]).map(([type, id]) => ({
        type,
        id,
      }))
      const known = Math.max(0, sequence - (row.last_sequence - changes.length))
      return { last: row.last_sequence, changes: changes.slice(known) }
    },

    /** Whether every change after this sequence is still kept. */
    reaches(sequence: number, now: number): boolean {
      if (sequence === newest) return true
      if (sequence > newest || sequence < newest - KEPT_CHANGES) return false
      const [row] = sql
        .exec<{ last: number; count: number; published_at: number }>(
          `SELECT last_sequence AS last, json_array_length(changes) AS count, published_at
           FROM publications WHERE last_sequence > ? ORDER BY last_sequence LIMIT 1`,
          sequence,
        )
        .toArray()
      return (
        row !== undefined && row.last - row.count <= sequence && row.published_at >= now - KEPT_MS
      )
    },
  }
}
