import { randomBytes } from "node:crypto"
import { sql } from "drizzle-orm"
import { newId } from "../lib/id.ts"
import { newSecret } from "../worker/access/keys/secret.ts"
import { verifyPassword } from "../worker/access/people/password.ts"
import { personStatements } from "../worker/access/people/person.ts"
import { domains } from "../worker/domains/table.ts"
import { insertInto } from "../worker/platform/db/columns.ts"
import { type Statement, statementOf } from "../worker/platform/db/statement.ts"
import { keyStatement, teamStatement } from "./new-team.ts"

const DEMO_DOMAIN = "demo.test"
const OTHER_DOMAIN = "other.test"

export interface Credentials {
  baseUrl: string
  teamId: string
  apiKey: string
  sendingOnlyKey: string
  dashboard: { url: string; email: string; password: string }
  other: { teamId: string; apiKey: string }
}

/** New credentials. Demo teams that exist already keep their ids and get new keys. */
export async function newCredentials(db: D1Database): Promise<Omit<Credentials, "baseUrl">> {
  const ownerOf = (domain: string) =>
    db
      .prepare("select team_id from domains where name = ? and status = 'verified'")
      .bind(domain)
      .first<string>("team_id")
  return {
    teamId: (await ownerOf(DEMO_DOMAIN)) ?? newId("team"),
    apiKey: newSecret(),
    sendingOnlyKey: newSecret(),
    dashboard: {
      url: "",
      email: `demo@${DEMO_DOMAIN}`,
      password: randomBytes(9).toString("base64url"),
    },
    other: { teamId: (await ownerOf(OTHER_DOMAIN)) ?? newId("team"), apiKey: newSecret() },
  }
}

export const withBaseUrl = (known: Omit<Credentials, "baseUrl">, baseUrl: string): Credentials => ({
  ...known,
  baseUrl,
  dashboard: { ...known.dashboard, url: `${baseUrl}/dashboard` },
})

/** Creates the missing demo teams with verified domains, keys and an owner. */
export async function seedStatements(
  db: D1Database,
  credentials: Credentials,
): Promise<Statement[]> {
  const { teamId, apiKey, sendingOnlyKey, dashboard, other } = credentials
  const owner = { ...dashboard, name: "Demo", teamId, role: "owner" } as const
  return [
    teamStatement(teamId, "Demo"),
    teamStatement(other.teamId, "Other"),
    domainStatement(teamId, DEMO_DOMAIN),
    domainStatement(other.teamId, OTHER_DOMAIN),
    keyStatement(teamId, apiKey, "Demo", "full"),
    keyStatement(teamId, sendingOnlyKey, "Demo, sending only", "sending_only"),
    keyStatement(other.teamId, other.apiKey, "Other", "full"),
    ...((await hasPassword(db, dashboard)) ? [] : await personStatements(owner)),
  ]
}

/** Setting a password ends the sessions, so an equal password is not set again. */
async function hasPassword(
  db: D1Database,
  { email, password }: Credentials["dashboard"],
): Promise<boolean> {
  const hash = await db
    .prepare("select a.password from users u join accounts a on a.user_id = u.id where u.email = ?")
    .bind(email)
    .first<string>("password")
  return hash !== null && (await verifyPassword({ hash, password }))
}

const domainStatement = (teamId: string, name: string): Statement =>
  statementOf(
    insertInto(
      domains,
      {
        teamId,
        id: newId("domain"),
        name,
        status: "verified",
        provider: "sandbox",
        createdAt: Date.now(),
        verifiedAt: Date.now(),
      },
      sql`where true on conflict do nothing`,
    ),
  )
