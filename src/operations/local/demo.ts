import { randomBytes } from "node:crypto"
import { sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import type { Permission } from "../../worker/access/keys/contract.ts"
import { newSecret } from "../../worker/access/keys/secret.ts"
import { verifyPassword } from "../../worker/access/people/password.ts"
import { personStatements } from "../../worker/access/people/person.ts"
import { domainClaims, domains } from "../../worker/domains/table.ts"
import { insertInto } from "../../worker/platform/db/columns.ts"
import { type Statement, statementOf } from "../../worker/platform/db/statement.ts"
import { directoryStatements, keyStatement, teamStatement } from "../new-team.ts"

const DEMO_DOMAIN = "demo.test"
const OTHER_DOMAIN = "other.test"

/** Where the demo teams are, if there are so many databases. */
const DEMO_DATABASE = 2
const OTHER_DATABASE = 3

export interface Credentials {
  baseUrl: string
  teamId: string
  apiKey: string
  sendingOnlyKey: string
  dashboard: { url: string; email: string; password: string }
  other: { teamId: string; apiKey: string }
}

type Databases = ReadonlyMap<number, D1Database>

/** New credentials. Demo teams that exist already keep their ids and get new keys. */
export async function newCredentials(all: Databases): Promise<Omit<Credentials, "baseUrl">> {
  const demo = await findOwner(all, DEMO_DOMAIN)
  const other = await findOwner(all, OTHER_DOMAIN)
  const [ofDemo, ofOther] = [demo?.database ?? DEMO_DATABASE, other?.database ?? OTHER_DATABASE]
  const keyIn = (number: number) => newSecret(all.has(number) ? number : 1)
  return {
    teamId: demo?.teamId ?? newId("team"),
    apiKey: keyIn(ofDemo),
    sendingOnlyKey: keyIn(ofDemo),
    dashboard: {
      url: "",
      email: `demo@${DEMO_DOMAIN}`,
      password: randomBytes(9).toString("base64url"),
    },
    other: { teamId: other?.teamId ?? newId("team"), apiKey: keyIn(ofOther) },
  }
}

/** The team that has verified a domain, and its database. */
async function findOwner(all: Databases, domain: string) {
  for (const [database, db] of all) {
    const found = await db
      .prepare(
        "select team_id as teamId, id as domainId from domains where name = ? and status = 'verified'",
      )
      .bind(domain)
      .first<{ teamId: string; domainId: string }>()
    if (found) return { ...found, database }
  }
  return null
}

export const withBaseUrl = (known: Omit<Credentials, "baseUrl">, baseUrl: string): Credentials => ({
  ...known,
  baseUrl,
  dashboard: { ...known.dashboard, url: `${baseUrl}/dashboard` },
})

/** Creates the missing demo teams with verified domains, keys and an owner: the statements of each database. */
export async function seedStatements(
  all: Databases,
  credentials: Credentials,
): Promise<Map<D1Database, Statement[]>> {
  const { teamId, apiKey, sendingOnlyKey, dashboard, other } = credentials
  const demoKeys = [
    { secret: apiKey, name: "Demo", permission: "full" },
    { secret: sendingOnlyKey, name: "Demo, sending only", permission: "sending_only" },
  ] as const
  const otherKeys = [{ secret: other.apiKey, name: "Other", permission: "full" }] as const
  const directory = all.get(1) as D1Database
  const owner = { ...dashboard, name: "Demo", teamId, role: "owner" } as const
  const statements = new Map([...all.values()].map((db): [D1Database, Statement[]] => [db, []]))
  const seeds = [
    { id: teamId, name: "Demo", domain: DEMO_DOMAIN, keys: demoKeys, usual: DEMO_DATABASE },
    {
      id: other.teamId,
      name: "Other",
      domain: OTHER_DOMAIN,
      keys: otherKeys,
      usual: OTHER_DATABASE,
    },
  ]
  for (const { usual, ...seed } of seeds) {
    const known = await findOwner(all, seed.domain)
    const database = known?.database ?? (all.has(usual) ? usual : 1)
    const domainId = known?.domainId ?? newId("domain")
    statements.get(all.get(database) as D1Database)?.push(...teamStatements(seed, domainId))
    if (database > 1) statements.get(directory)?.push(...directoryRows(seed, domainId, database))
  }
  if (!(await hasPassword(directory, dashboard))) {
    statements.get(directory)?.push(...(await personStatements(owner)))
  }
  return statements
}

interface Seed {
  id: string
  name: string
  domain: string
  keys: readonly { secret: string; name: string; permission: Permission }[]
}

const teamStatements = ({ id, name, domain, keys }: Seed, domainId: string): Statement[] => [
  teamStatement(id, name),
  domainStatement(id, domainId, domain),
  ...keys.map((key) => keyStatement(id, key.secret, key.name, key.permission)),
]

const directoryRows = (
  { id, name, domain, keys }: Seed,
  domainId: string,
  database: number,
): Statement[] => [
  ...directoryStatements(
    { id, name, database },
    keys.map(({ secret }) => secret),
  ),
  statementOf(
    insertInto(
      domainClaims,
      { name: domain, teamId: id, domainId, database, status: "verified" },
      sql`where true on conflict do nothing`,
    ),
  ),
]

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

const domainStatement = (teamId: string, id: string, name: string): Statement =>
  statementOf(
    insertInto(
      domains,
      {
        teamId,
        id,
        name,
        status: "verified",
        provider: "sandbox",
        createdAt: Date.now(),
        verifiedAt: Date.now(),
      },
      sql`where true on conflict do nothing`,
    ),
  )
