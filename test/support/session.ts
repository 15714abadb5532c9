import { generateSignedCookie } from "hono/cookie"
import { newId } from "../../src/lib/id.ts"
import type { Role } from "../../src/worker/access/people/contract.ts"
import { personStatements } from "../../src/worker/access/people/person.ts"
import {
  sessionCookieName,
  sessionSecrets,
} from "../../src/worker/access/people/sessions/session-cookie.ts"
import { bind } from "../../src/worker/platform/db/statement.ts"
import { type Reply, request } from "./api.ts"
import { directory } from "./installation.ts"
import { testWork } from "./work.ts"

export const PASSWORD = "correct horse battery"

/** A person with a place in a team. */
export async function addPerson(teamId: string, role: Role): Promise<string> {
  const email = `${newId("user").toLowerCase()}@people.test`
  const person = { email, name: "Somebody", password: PASSWORD, teamId, role }
  const statements = await personStatements(person)
  await directory.batch(statements.map((statement) => bind(directory, statement)))
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

/** The cookie of a new person of this team. The session is as fresh as after a sign-in. */
export const sessionOf = async (teamId: string, role: Role): Promise<string> =>
  createSession(await addPerson(teamId, role))

/** The cookie of one more session. */
export async function createSession(email: string): Promise<string> {
  const { settings, now } = testWork().work
  const token = crypto.randomUUID()
  await directory
    .prepare(
      `insert into sessions (token, id, user_id, expires_at, created_at, updated_at)
      select ?, ?, id, ?, ?, ? from users where email = ?`,
    )
    .bind(token, newId("request"), now() + 7 * 86_400_000, now(), now(), email)
    .run()
  const [secret = ""] = sessionSecrets(settings)
  const cookie = await generateSignedCookie(sessionCookieName(settings), token, secret)
  return cookie.split(";", 1).join()
}

type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** Somebody who is signed in, with a place in a team: the dashboard's calls over HTTP. */
export interface Person {
  id: string
  email: string
  cookie: string
  get: Call
  post: Call
  patch: Call
  delete: Call
}

export async function makePerson(teamId: string, role: Role): Promise<Person> {
  const email = await addPerson(teamId, role)
  const id = await directory.prepare("select id from users where email = ?").bind(email).first("id")
  const cookie = await createSession(email)
  const as =
    (method: string): Call =>
    (path, body, headers) =>
      request(method, `/dashboard/api${path}`, body, { cookie, ...headers })
  return {
    id: id as string,
    email,
    cookie,
    get: as("GET"),
    post: as("POST"),
    patch: as("PATCH"),
    delete: as("DELETE"),
  }
}
