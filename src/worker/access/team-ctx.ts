import { eq, sql } from "drizzle-orm"
import type { Audited, Caller, Ctx, ScopeText, Work } from "../platform/context.ts"
import { createCtx } from "../platform/create-context.ts"
import type { CallerRow } from "../platform/db/caller.ts"
import { resultColumns } from "../platform/db/columns.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import { ApiError } from "../platform/http/errors.ts"
import { teams } from "../teams/table.ts"

export const notInTeam = () => new ApiError("forbidden", "You are not in this team.")

/** The context of a call whose caller is already checked. It checks that the team is still there. */
export function createTeamCtx(
  work: Work,
  {
    team: { id: teamId },
    ...caller
  }: Pick<Caller, "permission" | "session"> & {
    team: { id: string }
  },
  audited?: Audited,
): Ctx {
  const { permission, session } = caller
  const credential = {
    read: selectTeam(work, { teamId }),
    check([team]: Awaited<ReturnType<typeof selectTeam>>) {
      if (!team) throw notInTeam()
      return { ...caller, team, key: null }
    },
    team: () => sql`select ${teamId}`,
    user: () => sql`select ${session?.user.id ?? null}`,
    scope: { text: SCOPE_OF_TEAM, values: { teamId, permission } },
  }
  return createCtx(work, credential, audited)
}

/** The service itself acts for the team. */
export const ctxOfTeam = (work: Work, teamId: string): Ctx =>
  createTeamCtx(work, { team: { id: teamId }, permission: "full", session: null })

const selectTeam = prepared((db, { teamId }: Placeholders<"teamId">) =>
  db.select({ id: teams.id, name: teams.name }).from(teams).where(eq(teams.id, teamId)),
)

const TEAM = sql.placeholder("teamId")

const SCOPE_OF_TEAM: ScopeText = {
  team: sql<string>`${TEAM}`,
  callerRow: sql`select ${resultColumns({
    team_id: TEAM,
    permission: sql.placeholder("permission"),
    domain_id: sql`null`,
    key_id: sql`null`,
  } satisfies CallerRow)}`,
}
