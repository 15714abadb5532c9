import type { Statement } from "../db/statement.ts"
import type { Permission } from "../keys/contract.ts"
import { storedSecret } from "../keys/secret.ts"
import { newId } from "../lib/id.ts"

export const teamStatement = (id: string, name: string): Statement => ({
  sql: "insert into teams (id, name, created_at) values (?, ?, ?) on conflict do nothing",
  values: [id, name, Date.now()],
})

export function keyStatement(
  teamId: string,
  secret: string,
  name: string,
  permission: Permission,
): Statement {
  const { secretHash, keyPrefix } = storedSecret(secret)
  return {
    sql: `insert into api_keys (secret_hash, id, team_id, name, permission, key_prefix, created_at)
      values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    values: [secretHash, newId("apiKey"), teamId, name, permission, keyPrefix, Date.now()],
  }
}
