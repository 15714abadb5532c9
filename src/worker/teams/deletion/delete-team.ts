import { and, eq, inArray, isNull } from "drizzle-orm"
import { apiKeys } from "../../access/keys/table.ts"
import { invitations, members } from "../../access/people/table.ts"
import { CANCELLABLE } from "../../campaigns/move.ts"
import { campaigns } from "../../campaigns/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { invalid, notFound } from "../../platform/http/errors.ts"
import { streamOf } from "../../stream/object.ts"
import { webhooks } from "../../webhooks/events/table.ts"
import { teams } from "../table.ts"
import { deletedTeams } from "./table.ts"

/**
 * Deletes the row of the team at once: its keys stop working, it has no members and sends no mail.
 * The sweep deletes its data in rounds.
 */
export async function deleteTeam(ctx: Ctx, { name }: { name: string }) {
  const { team } = await ctx.caller()
  if (name.trim() !== team.name.trim()) throw invalid(["name"], "Is not the team's name")
  ctx.notes?.found({ id: team.id, label: team.name })
  const [deleted, keys] = await ctx.batch([
    ctx.db.delete(teams).where(eq(teams.id, team.id)).returning({ id: teams.id }),
    ctx.db
      .update(apiKeys)
      .set({ revokedAt: ctx.now() })
      .where(and(eq(apiKeys.teamId, team.id), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id }),
    ctx.db.insert(deletedTeams).values({ id: team.id, deletedAt: ctx.now() }).onConflictDoNothing(),
    ctx.db.delete(webhooks).where(eq(webhooks.teamId, team.id)),
    ctx.db
      .update(campaigns)
      .set({ status: "cancelled" })
      .where(and(eq(campaigns.teamId, team.id), inArray(campaigns.status, CANCELLABLE))),
    ctx.db.delete(invitations).where(eq(invitations.teamId, team.id)),
    ctx.db.delete(members).where(eq(members.teamId, team.id)),
  ])
  if (deleted.length === 0) throw notFound("Team")
  const stream = streamOf(ctx.env, team.id)
  for (const { id } of keys) ctx.defer(stream.endStreamsOf(id))
  return { deleted: true as const }
}
