import { sql } from "drizzle-orm"
import { insertInto } from "../db/columns.ts"
import { type Statement, statementOf } from "../db/statement.ts"
import type { Permission } from "../keys/contract.ts"
import { storedSecret } from "../keys/secret.ts"
import { apiKeys } from "../keys/table.ts"
import { newId } from "../lib/id.ts"
import { teams } from "../teams/table.ts"

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
