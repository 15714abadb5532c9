import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { shortenStatements } from "../../src/operations/long-statements.ts"

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
  const create = `create table "t" ("id" text, "one" text, "two" text, "n" real, primary key (id)) without rowid`
  const inserts = texts.map(
    (text, index) =>
      `INSERT INTO "t" ("id","one","two","n") VALUES('row ${index}',${quote(text)},${index % 2 ? "NULL" : quote(text)},-1.5)`,
  )
  const sql = `${[create, ...inserts].join(";\n")};\n`
  writeFileSync(from, sql)
  await shortenStatements(from, to)
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
  rmSync(directory, { recursive: true })
})
