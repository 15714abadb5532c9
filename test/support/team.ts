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
  await env.DB.prepare("insert into teams (id, name, created_at) values (?, ?, ?)")
    .bind(id, name, Date.now())
    .run()
  await tellDirectory(
    "insert into team_databases (team_id, name, created_at, database) values (?, ?, ?, ?)",
    id,
    name,
    Date.now(),
    env.DATABASE,
  )
  const domainId = await addDomain(id, domain)
  return {
    id,
    domain,
    domainId,
    api: createApi(await addKey(id)),
    sendingOnly: createApi(await addKey(id, "sending_only")),
  }
}

export async function addDomain(teamId: string, name: string, status = "verified") {
  const id = newId("domain")
  await env.DB.prepare(
    "insert into domains (team_id, id, name, status, provider, created_at) values (?, ?, ?, ?, 'sandbox', ?)",
  )
    .bind(teamId, id, name, status, Date.now())
    .run()
  await tellDirectory(
    "insert into domain_claims (name, team_id, domain_id, database, status) values (?, ?, ?, ?, ?)",
    name,
    teamId,
    id,
    env.DATABASE,
    status,
  )
  return id
}

export async function removeDomain(id: string) {
  await env.DB.prepare("delete from domains where id = ?").bind(id).run()
  await tellDirectory("delete from domain_claims where domain_id = ?", id)
}

export async function addKey(teamId: string, permission: Permission = "full", domainId?: string) {
  const secret = await drawSecret(env.DATABASE)
  const { secretHash, keyPrefix } = storedSecret(secret)
  await env.DB.prepare(
    `insert into api_keys (secret_hash, id, team_id, name, permission, key_prefix, domain_id, created_at)
     values (?, ?, ?, 'Test', ?, ?, ?, ?)`,
  )
    .bind(secretHash, newId("apiKey"), teamId, permission, keyPrefix, domainId ?? null, Date.now())
    .run()
  await tellDirectory(
    "insert into key_teams (secret_hash, team_id) values (?, ?)",
    secretHash,
    teamId,
  )
  return secret
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

/** What the directory knows of teams that are in another database. */
async function tellDirectory(sql: string, ...values: unknown[]): Promise<void> {
  if (env.DATABASE === undefined) return
  await directory
    .prepare(sql)
    .bind(...values)
    .run()
}
