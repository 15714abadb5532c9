import type { Statement } from "../db/statement.ts"
import { newId } from "../lib/id.ts"
import type { Role } from "./contract.ts"
import { hashPassword } from "./password.ts"

export interface Person {
  email: string
  name: string
  password: string
  teamId: string
  role: Role
}

/**
 * Creates a person who can sign in. An existing person gets this password and this role in the
 * team, and is signed out.
 */
export async function personStatements(
  person: Person,
  hash = hashPassword(person.password),
): Promise<Statement[]> {
  const { email, name, teamId, role } = person
  const now = Date.now()
  return [
    {
      sql: `insert into users (id, name, email, email_verified, created_at, updated_at)
        values (?, ?, ?, 1, ?, ?) on conflict do nothing`,
      values: [newId("user"), name, email, now, now],
    },
    {
      sql: `insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
        select id, 'credential', id, id, ?, ?, ? from users where email = ?
        on conflict do update set password = excluded.password, updated_at = excluded.updated_at`,
      values: [await hash, now, now, email],
    },
    {
      sql: "delete from sessions where user_id = (select id from users where email = ?)",
      values: [email],
    },
    {
      sql: `insert into members (user_id, team_id, role, created_at)
        select id, ?, ?, ? from users where email = ?
        on conflict do update set role = excluded.role`,
      values: [teamId, role, now, email],
    },
  ]
}
