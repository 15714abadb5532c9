import { MOVED_TABLES } from "../../src/worker/teams/moving/tables.ts"

type Row = Record<string, unknown>

const FAR = 32_503_680_000_000

/** Values that the code reads again, or that a sweep must not act on. */
const VALUES: Row = {
  sender: '{"address":"a@b.test","name":null}',
  recipients: '[{"as":"to","address":"ada@example.org"}]',
  records: "[]",
  written_records: "[]",
  events: '["email.sent"]',
  blocks: "[]",
  emails: "[]",
  attempts: 0,
  object_key: null,
  next: null,
  next_provider: null,
  brand: null,
  due_at: null,
  check_at: FAR,
}

/** A row of the team in each of its tables, for tables that stay quiet with it. */
export async function addRowOfEach(db: D1Database, teamId: string, name: string): Promise<void> {
  const suffix = `${name} ${teamId}`
  for (const { name, team, key, columns } of MOVED_TABLES) {
    if (name === "teams" || key.length === 0) continue
    const { results } = await db
      .prepare(
        `select name, type, "notnull" as required, dflt_value from pragma_table_info('${name}')`,
      )
      .all<{ name: string; type: string; required: number; dflt_value: string | null }>()
    const row = Object.fromEntries(
      results
        .filter((column) => columns.includes(column.name))
        .map(({ name: column, type, required, dflt_value }) => [
          column,
          valueFor(name, column, {
            type,
            required,
            dflt_value,
            isKey: key.includes(column),
            suffix,
          }),
        ]),
    )
    row[team] = teamId
    await db
      .prepare(
        `insert into ${name} (${Object.keys(row).join(", ")}) values (${Object.keys(row)
          .map(() => "?")
          .join(", ")})`,
      )
      .bind(...Object.values(row))
      .run()
  }
}

interface Column {
  type: string
  required: number
  dflt_value: string | null
  isKey: boolean
  suffix: string
}

function valueFor(
  table: string,
  column: string,
  { type, required, dflt_value, isKey, suffix }: Column,
) {
  if (!isKey && column in VALUES && (VALUES[column] !== null || !required)) return VALUES[column]
  if (column === "status")
    return table === "emails" ? "delivered" : table === "domains" ? "failed" : "draft"
  if (column === "attempts" && type === "TEXT") return "[]"
  if (!isKey && !required) return null
  if (!isKey && dflt_value !== null) return dflt_value.replace(/^'|'$/g, "")
  if (type !== "TEXT") return isKey ? 1_700_000_000_000 + suffix.length : FAR
  return `${column} ${suffix}`
}

/** All rows of the team, by table. */
export async function rowsOfTeam(db: D1Database, teamId: string): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = {}
  for (const { name, team, key } of MOVED_TABLES) {
    const order = key.length > 0 ? `order by ${key.join(", ")}` : ""
    const { results } = await db
      .prepare(`select * from ${name} where ${team} = ? ${order}`)
      .bind(teamId)
      .all<Row>()
    if (results.length > 0) found[name] = results
  }
  return found
}

export const runIn = (db: D1Database, { sql, values }: { sql: string; values: unknown[] }) =>
  db
    .prepare(sql)
    .bind(...values)
    .all<Row>()
