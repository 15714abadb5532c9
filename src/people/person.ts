import { hashPassword } from "better-auth/crypto"
import { newId } from "../lib/id.ts"
import type { Role } from "./contract.ts"

export interface Person {
  email: string
  name: string
  password: string
  teamId: string
  role: Role
}

/** Makes a person who can sign in, or gives one who is there this password and place in the team. */
export async function personStatements(
  db: D1Database,
  { email, name, password, teamId, role }: Person,
): Promise<D1PreparedStatement[]> {
  const now = Date.now()
  return [
    db
      .prepare(
        `insert into users (id, name, email, email_verified, created_at, updated_at)
         values (?, ?, ?, 1, ?, ?) on conflict do nothing`,
      )
      .bind(newId("user"), name, email, now, now),
    db
      .prepare(
        `insert into accounts (user_id, provider_id, id, account_id, password, created_at, updated_at)
         select id, 'credential', id, id, ?, ?, ? from users where email = ?
         on conflict do update set password = excluded.password, updated_at = excluded.updated_at`,
      )
      .bind(await hashPassword(password), now, now, email),
    db
      .prepare(
        `insert into members (user_id, team_id, role, created_at)
         select id, ?, ?, ? from users where email = ?
         on conflict do update set role = excluded.role`,
      )
      .bind(teamId, role, now, email),
  ]
}
