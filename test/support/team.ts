import { env } from "cloudflare:workers"
import { randomBase64url } from "../../src/lib/crypto.ts"
import { newId } from "../../src/lib/id.ts"
import type { Permission } from "../../src/worker/access/keys/contract.ts"
import { storedSecret } from "../../src/worker/access/keys/secret.ts"
import { type Api, createApi } from "./api.ts"
import { directory } from "./installation.ts"

/** A team of its own for each test: two keys, and a verified domain. */
export interface Team {
  id: string
  domain: string
  domainId: string
  /** With a full key. */
  api: Api
  sendingOnly: Api
}

export async function makeTeam(): Promise<Team> {
  const id = newId("team")
  const domain = `${id.slice(-12).toLowerCase()}.test`
  const name = `Team ${domain}`
  const [ownDomain, full, sendingOnly] = [
    newDomain(id, domain),
    await newKey(id),
    await newKey(id, "sending_only"),
  ]
  const created: Rows = {
    own: [
      env.DB.prepare("insert into teams (id, name, created_at) values (?, ?, ?)").bind(
        id,
        name,
        Date.now(),
      ),
    ],
    directory: [
      directory
        .prepare(
          "insert into team_databases (team_id, name, created_at, database) values (?, ?, ?, ?)",
        )
        .bind(id, name, Date.now(), env.DATABASE ?? null),
    ],
  }
  await run(created, ownDomain, full, sendingOnly)
  return {
    id,
    domain,
    domainId: ownDomain.id,
    api: createApi(full.secret),
    sendingOnly: createApi(sendingOnly.secret),
  }
}

/** Statements for the database of the test's teams, and for the directory if that is another one. */
interface Rows {
  own: D1PreparedStatement[]
  directory: D1PreparedStatement[]
}

async function run(...rows: Rows[]): Promise<void> {
  await env.DB.batch(rows.flatMap(({ own }) => own))
  if (env.DATABASE !== undefined) await directory.batch(rows.flatMap(({ directory }) => directory))
}

export async function addDomain(teamId: string, name: string, status = "verified") {
  const domain = newDomain(teamId, name, status)
  await run(domain)
  return domain.id
}

function newDomain(teamId: string, name: string, status = "verified"): Rows & { id: string } {
  const id = newId("domain")
  return {
    id,
    own: [
      env.DB.prepare(
        "insert into domains (team_id, id, name, status, provider, created_at) values (?, ?, ?, ?, 'sandbox', ?)",
      ).bind(teamId, id, name, status, Date.now()),
    ],
    directory: [
      directory
        .prepare(
          "insert into domain_claims (name, team_id, domain_id, database, status) values (?, ?, ?, ?, ?)",
        )
        .bind(name, teamId, id, env.DATABASE ?? null, status),
    ],
  }
}

export async function removeDomain(id: string) {
  await run({
    own: [env.DB.prepare("delete from domains where id = ?").bind(id)],
    directory: [directory.prepare("delete from domain_claims where domain_id = ?").bind(id)],
  })
}

export async function addKey(teamId: string, permission: Permission = "full", domainId?: string) {
  const key = await newKey(teamId, permission, domainId)
  await run(key)
  return key.secret
}

async function newKey(
  teamId: string,
  permission: Permission = "full",
  domainId?: string,
): Promise<Rows & { secret: string }> {
  const secret = await drawSecret(env.DATABASE)
  const { secretHash, keyPrefix } = storedSecret(secret)
  const id = newId("apiKey")
  return {
    secret,
    own: [
      env.DB.prepare(
        `insert into api_keys (secret_hash, id, team_id, name, permission, key_prefix, domain_id, created_at)
         values (?, ?, ?, 'Test', ?, ?, ?, ?)`,
      ).bind(secretHash, id, teamId, permission, keyPrefix, domainId ?? null, Date.now()),
    ],
    directory: [
      directory
        .prepare("insert into key_teams (secret_hash, team_id) values (?, ?)")
        .bind(secretHash, teamId),
    ],
  }
}

const drawn = new Map<number, string[]>()

/** To draw it until its hash names the database takes a while: without others, any secret does. */
async function drawSecret(database: number | undefined): Promise<string> {
  if (database === undefined) return `svc_live_${randomBase64url(32)}`
  const left = drawn.get(database) ?? []
  if (left.length === 0) {
    const response = await env.SECRETS.fetch(`http://secrets/${database}`)
    left.push(...(await response.json<string[]>()))
    drawn.set(database, left)
  }
  return left.pop()!
}
