import { env } from "cloudflare:workers"
import { databasesOf } from "./installation.ts"

/** The files of a worker share its storage: each starts with an installation that has nothing. */
export async function emptyInstallation(): Promise<void> {
  for (const db of databasesOf(env)) await emptyDatabase(db)
  for (;;) {
    const { objects, truncated } = await env.CONTENT.list()
    if (objects.length > 0) await env.CONTENT.delete(objects.map(({ key }) => key))
    if (!truncated) return
  }
}

async function emptyDatabase(db: D1Database): Promise<void> {
  const { results } = await db
    .prepare(
      `select name from sqlite_master where type = 'table'
      and name not like '\\_cf\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\'
      and name <> 'd1_migrations'`,
    )
    .all<{ name: string }>()
  // The triggers of a fence would refuse the others.
  const names = ["team_fences", ...results.map(({ name }) => name)]
  await db.batch(names.map((name) => db.prepare(`delete from "${name}"`)))
}
