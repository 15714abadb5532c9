import { env } from "cloudflare:workers"
import { databasesOf } from "../../support/installation.ts"
import { homeOf } from "../homes.ts"

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export type Row = Record<string, any>

/** From the database of the team that a value names, or from all databases. */
export async function rows(query: string, ...values: unknown[]): Promise<Row[]> {
  const home = values.map(homeOf).find((db) => db !== undefined)
  const answers = await Promise.all(
    (home ? [home] : databasesOf(env)).map((db) =>
      db
        .prepare(query)
        .bind(...values)
        .all<Row>(),
    ),
  )
  return answers.flatMap(({ results }) => results)
}

/** For `sqlite_master`: the tables of the service, without those of the tests. */
export const IS_OF_SERVICE = `type = 'table' and name not like '\\_cf\\_%' escape '\\'
  and name not like 'sqlite\\_%' escape '\\' and name not like 'snapshot\\_%' escape '\\'
  and name not in ('d1_migrations', 'journal')`

/** Compares lists as bags. */
export function difference(actual: string[], expected: string[], tooMuch: string, missing: string) {
  const left = [...expected]
  const extra = actual.filter((one) => {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [...extra.map((one) => `${one} ${tooMuch}`), ...left.map((one) => `${one} ${missing}`)]
}
