import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseEnv } from "../../platform/db/databases.ts"
import { writeBehind } from "./fence.ts"
import { type Holder, LostMove } from "./holder.ts"

/** The move is still this holder's, and nobody has cancelled it. */
const IS_COPYING = `exists (select 1 from team_moves
  where team_id = ? and phase = 'copying' and held_by = ?)`

interface TeamRow {
  name: string
  requireSecondFactor: number
  createdAt: number
}

/** One batch, after which every call, message and link finds the team in the target. */
export async function switchDirectory(work: Work, holder: Holder): Promise<void> {
  const { source, target } = holder.row()
  const directory = databaseEnv(work.env, DIRECTORY).DB
  const statements = [
    ...(target === DIRECTORY
      ? leaveDirectory(directory, holder)
      : await enterDirectory(directory, holder, target)),
    ...(source === DIRECTORY
      ? deleteKeys(directory, holder, ["api_keys", "teams", "domains"])
      : []),
    directory
      .prepare(`update team_moves set phase = 'switched', position = null
        where team_id = ? and ${IS_COPYING} returning 1`)
      .bind(holder.teamId, holder.teamId, holder.heldBy),
  ]
  const hasFence = source === DIRECTORY || target === DIRECTORY
  const results = await (hasFence
    ? writeBehind(directory, holder, statements)
    : directory.batch(statements))
  if (results.at(-1)?.results.length === 0) throw new LostMove()
  await holder.store({})
}

/** What the directory has of a team elsewhere: where it is, the hashes of its keys, its domains. */
async function enterDirectory(directory: D1Database, holder: Holder, database: number) {
  const { teamId, heldBy, source } = holder
  const { name, requireSecondFactor, createdAt } = (await source
    .prepare(
      `select name, require_second_factor as requireSecondFactor, created_at as createdAt
       from teams where id = ?`,
    )
    .bind(teamId)
    .first<TeamRow>()) as TeamRow
  const select = (sql: string) => source.prepare(sql).bind(teamId)
  const [keys, domains] = await source.batch<Record<string, unknown>>([
    select("select secret_hash from api_keys where team_id = ?"),
    select(
      "select name, id, status from domains where team_id = ? and status in ('pending', 'verified')",
    ),
  ])
  return [
    directory
      .prepare(
        `insert into team_databases (team_id, name, require_second_factor, created_at, database)
         select ?, ?, ?, ?, ? where ${IS_COPYING}
         on conflict do update set database = excluded.database, name = excluded.name,
           require_second_factor = excluded.require_second_factor`,
      )
      .bind(teamId, name, requireSecondFactor, createdAt, database, teamId, heldBy),
    directory
      .prepare(
        `insert into key_teams (secret_hash, team_id) select value ->> 'secret_hash', ?
         from json_each(?) where ${IS_COPYING} on conflict do nothing`,
      )
      .bind(teamId, JSON.stringify(keys?.results), teamId, heldBy),
    ...deleteKeys(directory, holder, ["domain_claims"]),
    directory
      .prepare(
        `insert into domain_claims (name, team_id, domain_id, database, status)
         select value ->> 'name', ?, value ->> 'id', ?, value ->> 'status'
         from json_each(?) where ${IS_COPYING}`,
      )
      .bind(teamId, database, JSON.stringify(domains?.results), teamId, heldBy),
  ]
}

/** The directory's own rows say it now. */
const leaveDirectory = (directory: D1Database, holder: Holder) =>
  deleteKeys(directory, holder, ["team_databases", "key_teams", "domain_claims"])

const deleteKeys = (directory: D1Database, { teamId, heldBy }: Holder, tables: string[]) =>
  tables.map((table) =>
    directory
      .prepare(
        `delete from ${table} where ${table === "teams" ? "id" : "team_id"} = ? and ${IS_COPYING}`,
      )
      .bind(teamId, teamId, heldBy),
  )
