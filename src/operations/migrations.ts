import { readdirSync, readFileSync } from "node:fs"

/** Their names, in the order in which they are applied. */
export const migrationFiles = (): string[] =>
  readdirSync("migrations")
    .filter((name) => name.endsWith(".sql"))
    .sort()

/** The migration that creates the last table of the first version. */
export const LAST_OF_BASELINE = "0008_create_campaigns.sql"

export const readMigration = (file: string) => readFileSync(`migrations/${file}`, "utf8")

export const migrations = () => migrationFiles().map((name) => ({ name, sql: readMigration(name) }))
