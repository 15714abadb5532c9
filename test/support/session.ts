import { env } from "cloudflare:workers"
import { bind } from "../../src/db/statement.ts"
import { newId } from "../../src/lib/id.ts"
import type { Role } from "../../src/people/contract.ts"
import { personStatements } from "../../src/people/person.ts"
import { type Reply, request } from "./api.ts"

export const PASSWORD = "correct horse battery"

/** A person with a place in a team. */
export async function addPerson(teamId: string, role: Role): Promise<string> {
  const email = `${newId("user").toLowerCase()}@people.test`
  const person = { email, name: "Somebody", password: PASSWORD, teamId, role }
  const statements = await personStatements(person)
  await env.DB.batch(statements.map((statement) => bind(env.DB, statement)))
  return email
}

export const signIn = (
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<Reply> => request("POST", "/dashboard/auth/sign-in/email", { email, password }, headers)

export const cookieOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ")

/** The cookie of a new person of this team. */
export const sessionOf = async (teamId: string, role: Role) =>
  cookieOf(await signIn(await addPerson(teamId, role)))
