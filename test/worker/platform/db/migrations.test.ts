import { applyD1Migrations, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"

type Row = Record<string, string | number | null>

const all = async <T>(sql: string) => (await env.DB.prepare(sql).all<T>()).results

const tableNames = async () =>
  (
    await all<{ name: string }>(
      `select name from sqlite_master where type = 'table'
       and name not glob 'sqlite_*' and name not glob '_cf_*' and name <> 'd1_migrations'`,
    )
  ).map(({ name }) => name)

/** What a column held that is neither a text of its own nor a number. */
const VALUES: Record<string, string> = {
  sender: '{"address":"a@b.test"}',
  recipients: '[{"as":"to","address":"ada@example.org"}]',
  records: "[]",
  events: '["email.sent"]',
  blocks: "[]",
  status: "sent",
}

/** A row with a value in each column that a row may have. */
async function fill(table: string): Promise<Row> {
  const columns = await all<{ name: string; type: string; dflt_value: string | null }>(
    `select name, type, dflt_value from pragma_table_info('${table}')`,
  )
  const row = Object.fromEntries(
    columns.map(({ name, type, dflt_value }) => {
      if (VALUES[name]) return [name, VALUES[name]]
      if (type.toLowerCase() !== "text") return [name, 1_700_000_000_000]
      const isJson = /^'[[{]/.test(dflt_value ?? "")
      return [name, isJson ? (dflt_value ?? "").slice(1, -1) : `${table} ${name}`]
    }),
  )
  await env.DB.prepare(
    `insert into ${table} (${Object.keys(row).join(", ")})
     values (${Object.keys(row)
       .map(() => "?")
       .join(", ")})`,
  )
    .bind(...Object.values(row))
    .run()
  return row
}

it("a row that each table had at its creation comes through all later migrations", async () => {
  await reset()
  const rows = new Map<string, Row>()
  for (const count of env.TEST_MIGRATIONS.keys()) {
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, count + 1))
    for (const table of await tableNames()) {
      if (!rows.has(table)) rows.set(table, await fill(table))
    }
  }
  expect([...rows.keys()].sort()).toEqual((await tableNames()).sort())
  expect(rows.size).toBeGreaterThan(30)
  for (const [table, row] of rows) {
    const [found, ...others] = await all<Row>(`select * from ${table}`)
    expect([table, others]).toEqual([table, []])
    expect([table, found]).toEqual([table, expect.objectContaining(row)])
  }
})

it("no migration rebuilds, drops or renames a table or a column", () => {
  const changes = env.TEST_MIGRATIONS.flatMap(({ name, queries }) =>
    queries
      .filter((query) => /\b(drop table|drop column|rename)\b/i.test(query.replace(/--.*$/gm, "")))
      .map((query) => `${name}: ${query}`),
  )
  expect(changes).toEqual([])
})
