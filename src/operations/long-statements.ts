import { once } from "node:events"
import { createReadStream, createWriteStream } from "node:fs"
import { finished } from "node:stream/promises"

/** D1 refuses statements of 100 KB, although its own export writes longer ones. */
const MOST_BYTES = 90_000
/** A character has up to three bytes, and quotes are doubled. */
const PIECE_CHARACTERS = 15_000
/** D1 imports files of up to 5 GB, and a database may hold 10. */
const MOST_FILE_BYTES = 4_000_000_000

/**
 * Copies a file of SQL in statements that D1 takes, into as many files as it needs. Inserts of one row into a table
 * become one of many rows; a long insert becomes a short one and updates that append the rest.
 */
export const resizeStatements = (from: string, to: string, mostBytes = MOST_FILE_BYTES) =>
  copy(from, to, mostBytes, async function* (statements) {
    let joined: Insert | null = null
    for await (const statement of statements) {
      const insert = readInsert(statement)
      const isNext = joined !== null && insert?.head === joined.head
      if (joined && insert && isNext && joined.bytes + insert.bytes < MOST_BYTES) {
        joined.rows.push(...insert.rows)
        joined.bytes += insert.bytes
        continue
      }
      if (joined) yield write(joined)
      joined = insert
      if (!insert) yield* shorten(statement)
    }
    if (joined) yield write(joined)
  })

/** Copies a file of SQL without the rows of these tables, and without the triggers that a move puts up. */
export async function leaveOutRows(from: string, to: string, tables: readonly string[]) {
  const isLeftOut = (statement: string) =>
    /^create trigger moving_/i.test(statement) ||
    tables.includes(/^insert into "([^"]+)"/i.exec(statement)?.[1] ?? "")
  await copy(from, to, Number.POSITIVE_INFINITY, async function* (statements) {
    for await (const statement of statements) if (!isLeftOut(statement)) yield statement
  })
}

type Statements = AsyncIterable<string>

/** The files: the first one is `to`, the next ones are `to.2`, `to.3`, … */
async function copy(
  from: string,
  to: string,
  mostBytes: number,
  change: (all: Statements) => Statements,
): Promise<string[]> {
  const files = [to]
  let out = createWriteStream(to, { mode: 0o600 })
  let bytes = 0
  for await (const statement of change(statementsOf(from))) {
    const line = `${statement};\n`
    const size = Buffer.byteLength(line)
    if (bytes > 0 && bytes + size > mostBytes) {
      out.end()
      await finished(out)
      const next = `${to}.${files.length + 1}`
      files.push(next)
      out = createWriteStream(next, { mode: 0o600 })
      bytes = 0
    }
    bytes += size
    if (!out.write(line)) await once(out, "drain")
  }
  out.end()
  await finished(out)
  return files
}

interface Insert {
  /** The text before the rows. */
  head: string
  rows: string[]
  bytes: number
}

/** Null for any other statement, and for an insert that is long already. */
function readInsert(statement: string): Insert | null {
  const [, head, row] =
    /^(insert into "[^"]+" \([^)]*\) values)\s*(\([\s\S]*\))$/i.exec(statement) ?? []
  const bytes = Buffer.byteLength(statement)
  return head && row && bytes <= MOST_BYTES ? { head, rows: [row], bytes } : null
}

const write = ({ head, rows }: Insert) => `${head} ${rows.join(",")}`

/** The statements of a file, each without its semicolon. A trigger has statements of its own, up to its end. */
async function* statementsOf(file: string): AsyncGenerator<string> {
  let statement = ""
  let isQuoted = false
  let isComment = false
  let previous = ""
  for await (const text of createReadStream(file, "utf8") as AsyncIterable<string>) {
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const character = text[at] as string
      if (!isQuoted && previous === "-" && character === "-") isComment = true
      if (character === "\n") isComment = false
      previous = character
      // A doubled quote ends the text and starts it again.
      if (character === "'" && !isComment) isQuoted = !isQuoted
      if (character !== ";" || isQuoted || isComment) continue
      statement += text.slice(start, at)
      start = at + 1
      if (/^\s*create trigger\b/i.test(statement) && !/;\s*end$/i.test(statement)) {
        statement += ";"
        continue
      }
      yield statement.trim()
      statement = ""
    }
    statement += text.slice(start)
  }
  if (statement.trim()) yield statement.trim()
}

function shorten(statement: string): string[] {
  if (Buffer.byteLength(statement) <= MOST_BYTES) return [statement]
  const insert = /^insert into ("[^"]+") \(([^)]*)\) values\s*\(([\s\S]*)\)$/i.exec(statement)
  if (!insert) throw new Error(`Too long for D1: ${statement.slice(0, 60)} …`)
  const [, table = "", names = "", list = ""] = insert
  const values = splitValues(list)
  const columns = names.split(",").map((name, index) => {
    const value = values[index] ?? "null"
    return { name: name.trim(), value, pieces: piecesOf(value) }
  })
  const short = columns.filter(({ pieces }) => pieces.length === 1)
  // The primary key is among the short values.
  const row = short.map(({ name, value }) => `${name} is ${value}`).join(" and ")
  return [
    `insert into ${table} (${names}) values (${columns.map(({ pieces }) => pieces[0]).join(",")})`,
    ...columns.flatMap(({ name, pieces }) =>
      pieces
        .slice(1)
        .map((piece) => `update ${table} set ${name} = ${name} || ${piece} where ${row}`),
    ),
  ]
}

/** Splits at commas, except in texts and in brackets. */
function splitValues(list: string): string[] {
  const values: string[] = []
  let start = 0
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < list.length; at++) {
    const character = list[at]
    if (character === "'") isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === "(") depth++
    else if (character === ")") depth--
    else if (character === "," && depth === 0) {
      values.push(list.slice(start, at))
      start = at + 1
    }
  }
  return [...values, list.slice(start)].map((value) => value.trim())
}

/** Splits a text into several literals. Other values stay as they are. */
function piecesOf(value: string): string[] {
  if (value.length <= PIECE_CHARACTERS || !/^'(?:[^']|'')*'$/.test(value)) return [value]
  const text = value.slice(1, -1).replaceAll("''", "'")
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE_CHARACTERS, text.length)
    // Does not cut a surrogate pair.
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end--
    pieces.push(`'${text.slice(start, end).replaceAll("'", "''")}'`)
    start = end
  }
  return pieces
}
