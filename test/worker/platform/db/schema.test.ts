import { env } from "cloudflare:workers"
import { getTableName, is, SQL } from "drizzle-orm"
import {
  getTableConfig,
  type SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
} from "drizzle-orm/sqlite-core"
import { describe, expect, it } from "vitest"
import { columnsOf as declaredColumns } from "../../../../src/worker/platform/db/rows.ts"
import { TABLES } from "../../../../src/worker/teams/tables.ts"

const modules = import.meta.glob<Record<string, unknown>>("../../../../src/worker/**/table.ts", {
  eager: true,
})
const tables = Object.values(modules)
  .flatMap((module) => Object.values(module))
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
  .map((table) => getTableConfig(table))

type Table = (typeof tables)[number]
type Column = Table["columns"][number]

const all = async <Row>(sql: string, ...values: string[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Row>()
  ).results

/** SQL without what does not matter: case, quotes of names, and space. */
const plain = (sql: string) => sql.toLowerCase().replaceAll('"', "").replace(/\s+/g, " ").trim()

const dialect = new SQLiteSyncDialect()
/** SQL of the declaration: names of columns stand there without their table. */
const rendered = (table: Table, part: unknown) =>
  plain(dialect.sqlToQuery((part as SQL).inlineParams()).sql).replaceAll(`${table.name}.`, "")

const columnsOf = (table: Table) =>
  table.columns.map((column) => ({
    name: column.name,
    type: column.getSQLType().toUpperCase(),
    notnull: Number(column.notNull),
    dflt_value: defaultOf(column),
  }))

function defaultOf(column: Column): string | null {
  if (column.default === undefined) return null
  const value = column.mapToDriverValue(column.default)
  return typeof value === "string" ? `'${value}'` : String(value)
}

const keyOf = ({ columns, primaryKeys: [key] }: Table) =>
  (key?.columns ?? columns.filter(({ primary }) => primary)).map(({ name }) => name)

const indexesOf = (table: Table) =>
  table.indexes.map(({ config: { name, unique, columns, where } }) => {
    const parts = columns.map((part) => (is(part, SQL) ? rendered(table, part) : part.name))
    return (
      `create ${unique ? "unique " : ""}index ${name} on ${table.name} (${parts.join(", ")})` +
      (where ? ` where ${rendered(table, where)}` : "")
    )
  })

/** An id, or one of some words of the code. */
const namesNobody = ({ name, enumValues }: SQLiteColumn) =>
  name === "id" || name.endsWith("_id") || Boolean(enumValues?.length)

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

it("table files export whole names, and no second name of a table", () => {
  const names = Object.values(modules).flatMap((module) => Object.keys(module))
  expect(names.filter((name) => name.length < 4)).toEqual([])
  expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length)
})

describe("the tables in code are those of the migrations", () => {
  it("declares every table, and no other", async () => {
    const created = await all<{ name: string }>(
      `select name from sqlite_master where type = 'table'
       and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\'
       and name <> 'd1_migrations' order by name`,
    )
    expect(tables.map(({ name }) => name).sort()).toEqual(created.map(({ name }) => name))
  })

  describe.each(tables.map((table) => [table.name, table] as const))("%s", (name, table) => {
    it("has the same columns with the same defaults", async () => {
      const columns = await all<{ name: string }>(
        'select name, type, "notnull", dflt_value from pragma_table_xinfo(?)',
        name,
      )
      expect(columnsOf(table).sort(byName)).toEqual(columns.sort(byName))
    })

    it("generates the same columns", async () => {
      const [{ sql } = { sql: "" }] = await all<{ sql: string }>(
        "select sql from sqlite_master where type = 'table' and name = ?",
        name,
      )
      const inCode = table.columns.flatMap((column) =>
        column.generated
          ? `${column.name} ${column.getSQLType()} generated always as` +
            ` (${rendered(table, column.generated.as)}) ${column.generated.mode}`
          : [],
      )
      const count = plain(sql).split("generated always").length - 1
      expect(inCode.filter((one) => plain(sql).includes(one))).toHaveLength(count)
      expect(inCode).toHaveLength(count)
    })

    it("has the same primary key and unique columns", async () => {
      const key = await all<{ name: string }>(
        "select name from pragma_table_info(?) where pk > 0 order by pk",
        name,
      )
      expect(keyOf(table)).toEqual(key.map((column) => column.name))
      const unique = await all<{ name: string }>(
        `select c.name from pragma_index_list(?) i, pragma_index_info(i.name) c where i.origin = 'u'`,
        name,
      )
      const inCode = table.columns.filter(({ isUnique }) => isUnique)
      expect(inCode.map((column) => column.name)).toEqual(unique.map((column) => column.name))
    })

    it("has the same indexes", async () => {
      const indexes = await all<{ sql: string }>(
        "select sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
        name,
      )
      expect(indexesOf(table).sort()).toEqual(indexes.map(({ sql }) => plain(sql)).sort())
    })
  })

  it("says what becomes of the rows of every table, once", () => {
    const declared = TABLES.map(({ table }) => getTableName(table))
    expect(declared.sort()).toEqual(tables.map(({ name }) => name).sort())
  })

  it("says that a team owns each table with a team, or the directory", () => {
    const others = ["teams", "key_rotations", "team_moves", "team_fences", "moved_rows"]
    for (const { table, owner } of TABLES) {
      const isOfTeam = owner === "team" || owner === "directory"
      if (others.includes(getTableName(table))) continue
      expect([getTableName(table), "teamId" in table]).toEqual([getTableName(table), isOfTeam])
    }
  })

  it.each(
    TABLES.filter(({ owner }) => owner === "team").map(
      (rows) => [getTableName(rows.table), rows] as const,
    ),
  )(
    "says of each text of %s whether an erasure leaves it, once",
    (_, { table, addresses = {}, along = [], kept = [] }) => {
      const texts = Object.entries(declaredColumns(table)).flatMap(([name, column]) =>
        column.getSQLType() === "text" && !namesNobody(column) ? name : [],
      )
      if (along === "all") return
      const declared = [...Object.keys(addresses), ...along, ...kept]
      expect(declared.sort()).toEqual(texts.sort())
    },
  )

  it("has no cascades, because a rebuild of a table would lose its children", async () => {
    const found = await all<{ sql: string | null }>("select sql from sqlite_master")
    expect(found.filter(({ sql }) => /on delete cascade/i.test(sql ?? ""))).toEqual([])
  })
})
