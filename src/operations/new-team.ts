import { sql } from "drizzle-orm"
import { newId } from "../lib/id.ts"
import type { Permission } from "../worker/access/keys/contract.ts"
import { storedSecret } from "../worker/access/keys/secret.ts"
import { apiKeys } from "../worker/access/keys/table.ts"
import { insertInto } from "../worker/platform/db/columns.ts"
import { type Statement, statementOf } from "../worker/platform/db/statement.ts"
import { teams } from "../worker/teams/table.ts"

const UNLESS_THERE = sql`where true on conflict do nothing`

export const teamStatement = (id: string, name: string): Statement =>
  statementOf(insertInto(teams, { id, name, createdAt: Date.now() }, UNLESS_THERE))

export function keyStatement(
  teamId: string,
  secret: string,
  name: string,
  permission: Permission,
): Statement {
  const key = { id: newId("apiKey"), teamId, name, permission, createdAt: Date.now() }
  return statementOf(insertInto(apiKeys, { ...storedSecret(secret), ...key }, UNLESS_THERE))
}
