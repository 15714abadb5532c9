import { readdirSync, readFileSync } from "node:fs"

/** The same table as that of `wrangler d1 migrations`. */
export const CREATE_APPLIED = `create table if not exists d1_migrations (
  id integer primary key autoincrement,
  name text unique, applied_at timestamp default current_timestamp not null)`

/** Their names, in the order in which they are applied. */
export const migrationFiles = (): string[] =>
  readdirSync("migrations")
    .filter((name) => name.endsWith(".sql"))
    .sort()

/** Whether the migration creates a table of the first version. */
export const isBaseline = (file: string) => file <= "0008_create_campaigns.sql"

export const readMigration = (file: string) => readFileSync(`migrations/${file}`, "utf8")
