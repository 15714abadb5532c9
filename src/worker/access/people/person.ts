import { eq, type SQL, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { type Statement, statementOf } from "../../platform/db/statement.ts"
import type { Role } from "./contract.ts"
import { hashPassword } from "./password.ts"
import { accounts, members, secondFactors, sessions, users } from "./table.ts"

interface Person {
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
export async function personStatements(person: Person): Promise<Statement[]> {
  const { email, name, teamId, role } = person
  const now = Date.now()
  const isPerson = eq(users.email, email)
  return [
    sql`${insertInto(users, {
      id: newId("user"),
      name,
      email,
      emailVerified: 1,
      createdAt: now,
      updatedAt: now,
    })} where true on conflict do nothing`,
    storePassword(await hashPassword(person.password), now, isPerson),
    sql`delete from ${sessions}
      where ${sessions.userId} = (select ${users.id} from ${users} where ${isPerson})`,
    joinTeam({ email, teamId, role }, now),
  ].map(statementOf)
}

/** For a person who has lost the app and the recovery codes. Open sessions may be a thief's. */
export const removeSecondFactorStatements = (email: string): Statement[] => {
  const person = sql`(select ${users.id} from ${users} where ${eq(users.email, email)})`
  return [
    sql`delete from ${secondFactors} where ${secondFactors.userId} = ${person}`,
    sql`delete from ${sessions} where ${sessions.userId} = ${person}`,
    sql`update ${users} set ${assignments(users, { twoFactorEnabled: 0 })}
      where ${eq(users.email, email)}`,
  ].map(statementOf)
}

/** Adds a person who has an account to a team. Password and sessions stay. */
export const memberStatement = (person: Pick<Person, "email" | "teamId" | "role">) =>
  statementOf(joinTeam(person, Date.now()))

const joinTeam = (
  { email, teamId, role }: Pick<Person, "email" | "teamId" | "role">,
  now: number,
) =>
  sql`${insertInto(
    members,
    { userId: users.id, teamId, role, createdAt: now },
    sql`from ${users} where ${eq(users.email, email)}`,
  )} on conflict do update set ${assignments(members, { role: excluded(members.role) })}`

export const storePassword = (hash: string, now: number, isPerson: SQL) => sql`
  ${insertInto(
    accounts,
    {
      userId: users.id,
      providerId: "credential",
      id: users.id,
      accountId: users.id,
      password: hash,
      createdAt: now,
      updatedAt: now,
    },
    sql`from ${users} where ${isPerson}`,
  )}
  on conflict do update set ${assignments(accounts, {
    password: excluded(accounts.password),
    updatedAt: excluded(accounts.updatedAt),
  })}`
