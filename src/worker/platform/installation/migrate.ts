export interface Migration {
  name: string
  sql: string
}

/** The same table as that of `wrangler d1 migrations`. */
const CREATE_APPLIED = `create table if not exists d1_migrations (
  id integer primary key autoincrement,
  name text unique, applied_at timestamp default current_timestamp not null)`

/**
 * Applies the missing migrations, and answers how many statements that took. A new database gets all of them in one
 * call. In one with data, each is a transaction, which begins with its name: of two processes, one gets the name, and
 * the other one's batch fails.
 */
export async function migrate(db: D1Database, migrations: readonly Migration[]): Promise<number> {
  const missing = await findMissing(db, migrations)
  const isNew = missing.length === migrations.length
  const batches = isNew ? [missing] : missing.map((one) => [one])
  let count = 0
  for (const batch of batches) {
    const statements = batch.flatMap(({ name, sql }) => [
      db.prepare("insert into d1_migrations (name) values (?)").bind(name),
      ...splitStatements(sql).map((statement) => db.prepare(statement)),
    ])
    const isApplied = await db.batch(statements).then(() => true, unlessTaken)
    count += statements.length
    // Another process may be of an earlier version, with fewer migrations.
    if (isNew && !isApplied) return count + (await migrate(db, migrations))
  }
  return count
}

async function findMissing(db: D1Database, migrations: readonly Migration[]): Promise<Migration[]> {
  const [, known] = await db.batch<{ name: string }>([
    db.prepare(CREATE_APPLIED),
    db.prepare("select name from d1_migrations"),
  ])
  const applied = new Set(known?.results.map(({ name }) => name))
  if (applied.size > 0 && !applied.has(migrations[0]?.name ?? "")) {
    throw new Error("The database is not Edgepost's, or of an earlier version.")
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

function unlessTaken(error: Error): false {
  if (!error.message.includes("UNIQUE constraint failed: d1_migrations.name")) throw error
  return false
}

/** A statement of a migration ends where a line ends with a semicolon. */
export const splitStatements = (sql: string): string[] =>
  sql.split(/;[ \t]*$/m).flatMap((part) => part.trim() || [])
