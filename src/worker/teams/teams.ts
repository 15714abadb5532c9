import { eq } from "drizzle-orm"
import { sessionOf } from "../access/people/sessions/session.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { DIRECTORY, databaseNumber, directoryOf } from "../platform/db/databases.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, conflict, orNotFound } from "../platform/http/errors.ts"
import { auditEntry } from "./audit/entry.ts"
import { listJurisdictions } from "./choose-database.ts"
import type * as contract from "./contract.ts"
import type { Team } from "./contract.ts"
import { teamDatabases, teams } from "./table.ts"

type Changes = InputOf<typeof contract.updateTeam>["json"]

export async function getTeam(ctx: Ctx): Promise<Team> {
  const [[row]] = await ctx.batch([ctx.db.select().from(teams).where(eq(teams.id, ctx.team))])
  return orNotFound(row, "Team")
}

export const selectSender = (work: Work, teamId: string) =>
  work.db
    .select({ name: teams.name, postalAddress: teams.postalAddress })
    .from(teams)
    .where(eq(teams.id, teamId))

export async function updateTeam(ctx: Ctx, changes: Changes): Promise<Team> {
  const { team } = await ctx.caller()
  if (changes.requireSecondFactor !== undefined) await checkRule(ctx, changes.requireSecondFactor)
  // A rule never shows as on while it does not hold, also if the process dies between the two.
  if (changes.requireSecondFactor) await updateDirectory(ctx, team.id, changes)
  const { updated } = await commit(ctx, {
    updated: ctx.db.update(teams).set(changes).where(eq(teams.id, team.id)).returning(),
    audit: await auditEntry(ctx, "team.update", { label: changes.name }),
  })
  if (!changes.requireSecondFactor) await updateDirectory(ctx, team.id, changes)
  return orNotFound(updated[0], "Team")
}

/** The directory has what sign-in and the list of a person's teams need of a team elsewhere. */
async function updateDirectory(
  { env }: Ctx,
  teamId: string,
  { name, requireSecondFactor }: Changes,
): Promise<void> {
  const isChanged = name !== undefined || requireSecondFactor !== undefined
  if (!isChanged || databaseNumber(env) === DIRECTORY) return
  await directoryOf(env)
    .update(teamDatabases)
    .set({ name, requireSecondFactor })
    .where(eq(teamDatabases.teamId, teamId))
}

/** An owner without a second factor would be the first to be locked out. */
async function checkRule(ctx: Ctx, isRequired: boolean): Promise<void> {
  const { role, secondFactor } = await sessionOf(ctx)
  if (role !== "owner") throw new ApiError("forbidden", "Only an owner of the team may do this.")
  if (isRequired && !secondFactor) {
    throw conflict("Set up a second factor for yourself first, or sign in with it.")
  }
}

export async function getInstallation(ctx: Ctx) {
  const { settings } = ctx
  return {
    provider: settings.PROVIDER,
    privateWebhooks: settings.WEBHOOK_ALLOW_PRIVATE,
    contentRetentionDays: settings.CONTENT_RETENTION_DAYS,
    recordRetentionDays: settings.RECORD_RETENTION_DAYS,
    jurisdictions: listJurisdictions(ctx),
  }
}
