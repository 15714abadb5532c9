import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { leaveOutRows, resizeStatements } from "../../src/operations/long-statements.ts"

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

it("long inserts become short statements that make the same rows", async () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-sql-"))
  const [from, to] = [join(directory, "a.sql"), join(directory, "b.sql")]
  const texts = [
    "it's short; really",
    "';--\n".repeat(40_000),
    "😀".repeat(80_000),
    "日".repeat(60_000),
    "a,b(".repeat(30_000),
  ]
  const create = `create table "t" ("id" text, -- the row's own; nothing else
  "one" text, "two" text, "n" real, primary key (id)) without rowid`
  const inserts = texts.map(
    (text, index) =>
      `INSERT INTO "t" ("id","one","two","n") VALUES('row ${index}',${quote(text)},${index % 2 ? "NULL" : quote(text)},-1.5)`,
  )
  const sql = `${[create, ...inserts].join(";\n")};\n`
  writeFileSync(from, sql)
  await resizeStatements(from, to)
  const shortened = readFileSync(to, "utf8")
  expect(Math.max(...shortened.split(";\n").map((one) => Buffer.byteLength(one)))).toBeLessThan(
    100_000,
  )

  const rowsOf = (script: string) => {
    const db = new DatabaseSync(":memory:")
    db.exec(script)
    return db.prepare("select * from t order by id").all()
  }
  expect(rowsOf(shortened)).toEqual(rowsOf(sql))

  // D1 takes a file of 5 GB at most.
  const files = await resizeStatements(from, join(directory, "c.sql"), 200_000)
  const parts = files.map((file) => readFileSync(file, "utf8"))
  expect(parts.length).toBeGreaterThan(3)
  expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(200_000)
  expect(parts.join("")).toBe(shortened)
  rmSync(directory, { recursive: true })
})

it("rows of a table become few statements, and rows of sessions stay out", async () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-sql-"))
  const [from, left, to] = ["a", "b", "c"].map((name) => join(directory, `${name}.sql`))
  const row = (table: string, n: number) =>
    `INSERT INTO "${table}" ("id","text") VALUES(${n},${quote(`it's; (${n})`)})`
  const create = (table: string) => `CREATE TABLE "${table}" (id integer primary key, text)`
  const sql = [
    create("t"),
    create("sessions"),
    ...Array.from({ length: 10_000 }, (_, n) => row("t", n)),
    row("sessions", 1),
    ...Array.from({ length: 5 }, (_, n) => row("t", 20_000 + n)),
  ]
  writeFileSync(from as string, `${sql.join(";\n")};\n`)
  await leaveOutRows(from as string, left as string, ["sessions"])
  await resizeStatements(left as string, to as string)
  const text = readFileSync(to as string, "utf8")
  expect(text.split(";\n").length).toBeLessThan(20)
  expect(statSync(to as string).mode & 0o777).toBe(0o600)
  const db = new DatabaseSync(":memory:")
  db.exec(text)
  expect(db.prepare("select count(*) as n, max(text) as last from t").get()).toEqual({
    n: 10_005,
    last: "it's; (9999)",
  })
  expect(db.prepare("select count(*) as n from sessions").get()).toEqual({ n: 0 })
  rmSync(directory, { recursive: true })
})

it("the triggers of the schema stay, and those of a move do not", async () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-sql-"))
  const [from, left] = ["a", "b"].map((name) => join(directory, `${name}.sql`)) as [string, string]
  const trigger = (name: string) =>
    `CREATE TRIGGER ${name} AFTER DELETE ON t BEGIN DELETE FROM u; INSERT INTO u VALUES ('end; '); END`
  const sql = ["CREATE TABLE t (id)", "CREATE TABLE u (id)", trigger("moving_t_delete")]
  writeFileSync(from, `${[...sql, trigger("t_follow"), "INSERT INTO t VALUES (1)"].join(";\n")};\n`)
  await leaveOutRows(from, left, [])
  // However small the files: a trigger stays whole.
  const files = await resizeStatements(left, join(directory, "c.sql"), 1)
  expect(files).toHaveLength(4)
  const db = new DatabaseSync(":memory:")
  for (const file of files) db.exec(readFileSync(file, "utf8"))
  expect(db.prepare("select name from sqlite_master where type = 'trigger'").all()).toEqual([
    { name: "t_follow" },
  ])
  db.exec("DELETE FROM t")
  expect(db.prepare("select id from u").all()).toEqual([{ id: "end; " }])
  rmSync(directory, { recursive: true })
})
