import { sql } from "drizzle-orm"
import { newId } from "../lib/id.ts"
import type { Permission } from "../worker/access/keys/contract.ts"
import { storedSecret } from "../worker/access/keys/secret.ts"
import { apiKeys, keyTeams } from "../worker/access/keys/table.ts"
import { insertInto } from "../worker/platform/db/columns.ts"
import { type Statement, statementOf } from "../worker/platform/db/statement.ts"
import { teamDatabases, teams } from "../worker/teams/table.ts"

const UNLESS_THERE = sql`where true on conflict do nothing`

export const teamStatement = (id: string, name: string): Statement =>
  statementOf(insertInto(teams, { id, name, createdAt: Date.now() }, UNLESS_THERE))

/** The rows of the directory for a team that is in another database. */
export const directoryStatements = (
  { id, name, database }: { id: string; name: string; database: number },
  secrets: readonly string[],
): Statement[] => [
  statementOf(
    insertInto(teamDatabases, { teamId: id, name, database, createdAt: Date.now() }, UNLESS_THERE),
  ),
  ...secrets.map((secret) => {
    const { secretHash } = storedSecret(secret)
    return statementOf(insertInto(keyTeams, { secretHash, teamId: id }, UNLESS_THERE))
  }),
]

export function keyStatement(
  teamId: string,
  secret: string,
  name: string,
  permission: Permission,
): Statement {
  const key = { id: newId("apiKey"), teamId, name, permission, createdAt: Date.now() }
  return statementOf(insertInto(apiKeys, { ...storedSecret(secret), ...key }, UNLESS_THERE))
}
