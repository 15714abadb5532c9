import { eq } from "drizzle-orm"
import type { Ctx, Work } from "../platform/context.ts"
import { DIRECTORY, databaseNumber, directoryOf } from "../platform/db/databases.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { orNotFound } from "../platform/http/errors.ts"
import type * as contract from "./contract.ts"
import type { Team } from "./contract.ts"
import { teamDatabases, teams } from "./table.ts"

export async function getTeam(ctx: Ctx): Promise<Team> {
  const [[row]] = await ctx.batch([ctx.db.select().from(teams).where(eq(teams.id, ctx.team))])
  return orNotFound(row, "Team")
}

export const selectSender = (work: Work, teamId: string) =>
  work.db
    .select({ name: teams.name, postalAddress: teams.postalAddress })
    .from(teams)
    .where(eq(teams.id, teamId))

export async function updateTeam(
  ctx: Ctx,
  changes: InputOf<typeof contract.updateTeam>["json"],
): Promise<Team> {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([
    ctx.db.update(teams).set(changes).where(eq(teams.id, team.id)).returning(),
  ])
  if (changes.name !== undefined && databaseNumber(ctx.env) !== DIRECTORY) {
    const { name } = changes
    await directoryOf(ctx.env)
      .update(teamDatabases)
      .set({ name })
      .where(eq(teamDatabases.teamId, team.id))
  }
  return orNotFound(row, "Team")
}

export async function getInstallation({ settings }: Ctx) {
  return {
    provider: settings.PROVIDER,
    privateWebhooks: settings.WEBHOOK_ALLOW_PRIVATE,
    contentRetentionDays: settings.CONTENT_RETENTION_DAYS,
    recordRetentionDays: settings.RECORD_RETENTION_DAYS,
  }
}
