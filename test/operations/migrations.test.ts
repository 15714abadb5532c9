import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { unstable_splitSqlQuery as splitByWrangler } from "wrangler"
import { migrationFiles, readMigration } from "../../src/operations/migrations.ts"
import { splitStatements } from "../../src/worker/platform/installation/migrate.ts"

const plain = (statement: string) =>
  statement
    .replace(/^--.*$/gm, "")
    .trim()
    .replace(/;$/, "")

it.each(migrationFiles())("%s has the same statements for the Worker and for wrangler", (file) => {
  const sql = readMigration(file)
  expect(splitStatements(sql).map(plain)).toEqual(splitByWrangler(sql).map(plain))
})

it("the Worker brings all of them along", () => {
  const listed = readFileSync("src/worker/platform/installation/migrations.ts", "utf8")
  expect([...listed.matchAll(/default as "(.*?)"/g)].map(([, name]) => name)).toEqual(
    migrationFiles(),
  )
})
