import { env } from "cloudflare:workers"

/** The files of a worker share its storage: each starts with an installation that has nothing. */
export async function emptyInstallation(): Promise<void> {
  const { results } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table'
      and name not like '\\_cf\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\'
      and name <> 'd1_migrations'`,
  ).all<{ name: string }>()
  await env.DB.batch(results.map(({ name }) => env.DB.prepare(`delete from "${name}"`)))
  for (;;) {
    const { objects, truncated } = await env.CONTENT.list()
    if (objects.length > 0) await env.CONTENT.delete(objects.map(({ key }) => key))
    if (!truncated) return
  }
}
