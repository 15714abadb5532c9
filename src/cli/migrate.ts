import { readdirSync, readFileSync } from "node:fs"
import { unstable_splitSqlQuery as splitStatements } from "wrangler"

const DIRECTORY = "migrations"

/**
 * Applies the missing migrations to a local database. `wrangler d1 migrations apply` does the same,
 * but takes half a second for each file.
 */
export async function migrate(db: D1Database): Promise<void> {
  await db
    .prepare(
      `create table if not exists d1_migrations (id integer primary key autoincrement,
         name text unique, applied_at timestamp default current_timestamp not null)`,
    )
    .run()
  const { results } = await db.prepare("select name from d1_migrations").all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const files = readdirSync(DIRECTORY).filter((name) => name.endsWith(".sql"))
  for (const name of files.toSorted().filter((file) => !applied.has(file))) {
    const statements = splitStatements(readFileSync(`${DIRECTORY}/${name}`, "utf8"))
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare("insert into d1_migrations (name) values (?)").bind(name),
    ])
  }
}
