import { type SQL, sql } from "drizzle-orm"
import { shareOf } from "../db/share.ts"
import { ITEMS_A_ROUND, type Round } from "../lib/rounds.ts"
import { teams } from "./table.ts"

/** Selects the team and the value of each piece of a round: `pieces` finds those of one team. */
export const sharesOfTeams = (pieces: SQL, { after, share }: Round): SQL => sql`
  select ${teams.id} as teamId, x.value as id from ${teams} cross join ${shareOf(pieces, share)} x
  where ${teams.id} > ${after} order by ${teams.id} limit ${ITEMS_A_ROUND}`
