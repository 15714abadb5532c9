import { LAST_OF_BASELINE, migrationFiles } from "../migrations.ts"
import type { Cloudflare } from "./cloudflare.ts"
import { Failure, OTHER_NAME } from "./failure.ts"

export type Query = <Row>(sql: string) => Promise<Row[]>

export async function findDatabase(
  cloudflare: Cloudflare,
  accountId: string,
  name: string,
): Promise<string | null> {
  const found = await cloudflare.call<{ name: string; uuid: string }[]>(
    "Looking for the database",
    "GET",
    `/accounts/${accountId}/d1/database?name=${name}&per_page=100`,
  )
  return found.find((database) => database.name === name)?.uuid ?? null
}

export function createQuery(cloudflare: Cloudflare, accountId: string, id: string, doing: string) {
  const query: Query = async <Row>(sql: string) => {
    const path = `/accounts/${accountId}/d1/database/${id}/query`
    const answers = await cloudflare.call<{ results?: Row[] }[]>(doing, "POST", path, { sql })
    return answers.at(-1)?.results ?? []
  }
  return query
}

/** Whether the database has the tables of the first version. Refuses a database that is not Edgepost's. */
async function hasTables(query: Query, name: string): Promise<boolean> {
  const [first] = migrationFiles()
  const tables = await query<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf\\_%' escape '\\' and name <> 'sqlite_sequence'",
  )
  const isTheirs = tables.some((table) => table.name !== "d1_migrations")
  const applied = tables.some((table) => table.name === "d1_migrations")
    ? await query<{ name: string }>("select name from d1_migrations order by id")
    : []
  if (isTheirs && applied[0]?.name !== first) {
    throw new Failure(`The account has a database '${name}' that is not Edgepost's.`, OTHER_NAME)
  }
  return applied.some((migration) => migration.name === LAST_OF_BASELINE)
}

/** Reads the state of the database before a deployment. Refuses a database that is not Edgepost's. */
export async function readDatabase(query: Query, name: string, provider: string) {
  if (!(await hasTables(query, name))) return { teams: 0, unready: 0 }
  const [row] = await query<{ teams: number }>("select count(*) as teams from teams")
  const isReady = `next_provider = '${provider}' and next ->> 'verifiedAt' is not null`
  const [waiting] = await query<{ unready: number }>(
    `select count(*) as unready from domains where status = 'verified' and not coalesce(${isReady}, false)`,
  )
  return { teams: row?.teams ?? 0, unready: waiting?.unready ?? 0 }
}
