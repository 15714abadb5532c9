import { randomBytes } from "node:crypto"
import { newSecret, storedSecret } from "../keys/secret.ts"
import { newId } from "../lib/id.ts"
import { personStatements } from "../people/person.ts"

const DEMO_DOMAIN = "demo.test"
const OTHER_DOMAIN = "other.test"

/** What local mode writes to `.dev/credentials.json`. */
export interface Credentials {
  baseUrl: string
  teamId: string
  apiKey: string
  sendingOnlyKey: string
  dashboard: { url: string; email: string; password: string }
  other: { teamId: string; apiKey: string }
}

/** Where a database has the demo teams already, they get new keys. */
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

/** Makes the demo teams, their verified domains, keys and owner, where they are not there yet. */
export async function seedStatements(
  db: D1Database,
  credentials: Credentials,
): Promise<D1PreparedStatement[]> {
  const { teamId, apiKey, sendingOnlyKey, dashboard, other } = credentials
  return [
    team(db, teamId, "Demo"),
    team(db, other.teamId, "Other"),
    domain(db, teamId, DEMO_DOMAIN),
    domain(db, other.teamId, OTHER_DOMAIN),
    key(db, teamId, apiKey, "Demo", "full"),
    key(db, teamId, sendingOnlyKey, "Demo, sending only", "sending_only"),
    key(db, other.teamId, other.apiKey, "Other", "full"),
    ...(await personStatements(db, { ...dashboard, name: "Demo", teamId, role: "owner" })),
  ]
}

const team = (db: D1Database, id: string, name: string) =>
  db
    .prepare("insert into teams (id, name, created_at) values (?, ?, ?) on conflict do nothing")
    .bind(id, name, Date.now())

const domain = (db: D1Database, teamId: string, name: string) =>
  db
    .prepare(
      `insert into domains (team_id, id, name, status, provider, created_at, verified_at)
       values (?, ?, ?, 'verified', 'sandbox', ?, ?) on conflict do nothing`,
    )
    .bind(teamId, newId("domain"), name, Date.now(), Date.now())

function key(db: D1Database, teamId: string, secret: string, name: string, permission: string) {
  const { secretHash, keyPrefix } = storedSecret(secret)
  return db
    .prepare(
      `insert into api_keys (secret_hash, id, team_id, name, permission, key_prefix, created_at)
       values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
    )
    .bind(secretHash, newId("apiKey"), teamId, name, permission, keyPrefix, Date.now())
}
