import { env } from "cloudflare:workers"
import { askRepeat } from "../../src/worker/removals/repeat.sql.ts"
import { databasesOf } from "../support/installation.ts"
import { IS_OF_SERVICE } from "./checks/rows.ts"
import type { World } from "./world.ts"

const PREFIX = "snapshot_"

export interface Snapshot {
  at: number
  /** By table, each database's own. */
  columns: ReadonlyMap<string, string>[]
}

/** Copies all rows in one transaction a database. */
export async function takeSnapshot(world: World): Promise<Snapshot> {
  const at = world.clock.now()
  const columns = await Promise.all(
    databasesOf(env).map(async (db) => {
      const tables = await storedColumns(db)
      await db.batch(
        [...tables].map(([name, columns]) =>
          db.prepare(`create table "${PREFIX}${name}" as select ${columns} from "${name}"`),
        ),
      )
      return tables
    }),
  )
  world.note("a snapshot is taken")
  return { at, columns }
}

/** What `npm run restore` does to the databases. */
export async function restoreSnapshot(world: World, { at, columns }: Snapshot): Promise<void> {
  await Promise.all(
    databasesOf(env).map((db, index) =>
      db.batch([
        ...[...(columns[index] ?? [])].flatMap(([name, columns]) => [
          db.prepare(`delete from "${name}"`),
          db.prepare(
            `insert into "${name}" (${columns}) select ${columns} from "${PREFIX}${name}"`,
          ),
          db.prepare(`drop table "${PREFIX}${name}"`),
        ]),
        ...askRepeat(world.clock.now(), at)
          .split(";")
          .map((statement) => db.prepare(statement)),
      ]),
    ),
  )
  world.note("the databases are restored")
}

/** By table. Generated columns are not stored. */
async function storedColumns(db: D1Database): Promise<Map<string, string>> {
  const { results } = await db
    .prepare(
      `select t.name, group_concat('"' || c.name || '"') as columns
       from (select name from sqlite_master where ${IS_OF_SERVICE}) t
       join pragma_table_xinfo(t.name) c on c.hidden = 0 group by t.name`,
    )
    .all<{ name: string; columns: string }>()
  return new Map(results.map(({ name, columns }) => [name, columns]))
}

/** Of a seed that was broken off before its restore. */
export async function dropSnapshots(): Promise<void> {
  for (const db of databasesOf(env)) {
    const { results } = await db
      .prepare("select name from sqlite_master where name like ?")
      .bind(`${PREFIX}%`)
      .all<{ name: string }>()
    for (const { name } of results) await db.prepare(`drop table "${name}"`).run()
  }
}
