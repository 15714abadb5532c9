import { inArray, isNull, type SQL, sql } from "drizzle-orm"
import { apiKeys } from "../../access/keys/table.ts"
import { invitations, members } from "../../access/people/table.ts"
import { CANCELLABLE } from "../../campaigns/run/move.ts"
import { campaigns } from "../../campaigns/table.ts"
import type { Ctx, Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { DIRECTORY, databaseNumber, directoryOf } from "../../platform/db/databases.ts"
import { teamColumn } from "../../platform/db/rows.ts"
import { invalid, notFound } from "../../platform/http/errors.ts"
import { keepRemovals } from "../../removals/keep.ts"
import { streamOf } from "../../stream/stream-of.ts"
import { webhooks } from "../../webhooks/events/table.ts"
import { auditEntry } from "../audit/entry.ts"
import { auditLog } from "../audit/table.ts"
import { teamDatabases, teams } from "../table.ts"
import { TABLES } from "../tables.ts"
import { deletedTeams } from "./table.ts"

/**
 * Deletes the row of the team at once: its keys stop working, it has no members and sends no mail.
 * The sweep deletes its data in rounds.
 */
export async function deleteTeam(ctx: Ctx, { name }: { name: string }) {
  const { team } = await ctx.caller()
  if (name.trim() !== team.name.trim()) throw invalid(["name"], "This is not the team's name.")
  const isThere = sql`from ${teams} where ${teams.id} = ${team.id}`
  const { kept, keys } = await commit(ctx, {
    audit: await auditEntry(ctx, "teams.remove", { id: team.id, label: team.name }, isThere),
    ...deletionOf(ctx, sql`${team.id}`),
  })
  if (kept.length === 0) throw notFound("Team")
  if (databaseNumber(ctx.env) !== DIRECTORY) await leaveDirectory(ctx, team.id)
  const stream = streamOf(ctx.env, team.id)
  for (const { id } of keys) ctx.defer(stream.endStreamsOf(id))
  return { deleted: true as const }
}

/** For `commit`: deletes the teams. Each statement may come again. */
export function deletionOf({ db, now }: Pick<Work, "db" | "now">, ids: SQL) {
  const at = now()
  return {
    kept: keepRemovals(
      { db },
      { teamId: teams.id, kind: "team", subject: teams.id, removedAt: at },
      sql`from ${teams} where ${teams.id} in (${ids})`,
    ),
    swept: db.run(sql`
      ${insertInto(deletedTeams, { id: teams.id, deletedAt: at }, sql`from ${teams} where ${teams.id} in (${ids}) on conflict do nothing`)}`),
    deleted: db.delete(teams).where(sql`${teams.id} in (${ids})`),
    keys: db
      .update(apiKeys)
      .set({ revokedAt: at })
      .where(sql`${apiKeys.teamId} in (${ids}) and ${isNull(apiKeys.revokedAt)}`)
      .returning({ id: apiKeys.id }),
    webhooks: db.delete(webhooks).where(sql`${webhooks.teamId} in (${ids})`),
    campaigns: db
      .update(campaigns)
      .set({ status: "cancelled" })
      .where(sql`${campaigns.teamId} in (${ids}) and ${inArray(campaigns.status, CANCELLABLE)}`),
    invitations: db.delete(invitations).where(sql`${invitations.teamId} in (${ids})`),
    members: db.delete(members).where(sql`${members.teamId} in (${ids})`),
    places: db.delete(teamDatabases).where(sql`${teamDatabases.teamId} in (${ids})`),
  }
}

/** Deletes what the directory has of a team, entries that wait there for the team's audit log too. */
export async function leaveDirectory({ env }: Work, teamId: string): Promise<void> {
  const directory = directoryOf(env)
  const [first, ...others] = TABLES.filter(
    ({ owner, table }) => owner === "directory" || table === auditLog,
  ).map(({ table }) => directory.delete(table).where(sql`${teamColumn(table)} = ${teamId}`))
  if (first) await directory.batch([first, ...others])
}
