import { env } from "cloudflare:workers"
import { is } from "drizzle-orm"
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core"
import { describe, expect, it } from "vitest"

const modules = import.meta.glob<Record<string, unknown>>("../../src/**/table.ts", { eager: true })
const tables = Object.values(modules)
  .flatMap((module) => Object.values(module))
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
  .map((table) => getTableConfig(table))

describe("the tables in code are those of the migrations", () => {
  it.each(tables.map((table) => [table.name, table] as const))("%s", async (name, table) => {
    const { results } = await env.DB.prepare(
      'select name, type, "notnull" from pragma_table_info(?)',
    )
      .bind(name)
      .all<{ name: string; type: string; notnull: number }>()
    const inCode = table.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notnull: Number(column.notNull),
    }))
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
    expect(inCode.sort(byName)).toEqual(results.sort(byName))
  })

  it("cascade nothing: a rebuild of a table would lose its children", async () => {
    const { results } = await env.DB.prepare("select sql from sqlite_master").all<{ sql: string }>()
    expect(results.filter(({ sql }) => /on delete cascade/i.test(sql ?? ""))).toEqual([])
  })
})
