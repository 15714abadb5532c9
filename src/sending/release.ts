import { sql } from "drizzle-orm"
import { assigned } from "../db/columns.ts"
import { shareOf } from "../db/share.ts"
import { e, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import { p } from "./claim-places.ts"
import { isOpen, LINES } from "./open-emails.ts"

const RELEASED_A_CLAIM = 500

/** How many emails of each of these teams one claim releases. */
export const releasedOfEach = (teams: readonly string[]) =>
  Math.ceil(RELEASED_A_CLAIM / Math.max(1, teams.length))

/** Moves the teams' scheduled mail that is due into the line of transactional mail. */
export const releaseScheduled = ({ db }: Pick<Work, "db">) =>
  db.run(sql`
    update emails set ${assigned(emails, { status: "queued" })}
    where (${emails.teamId}, ${emails.id}) in (
      select t.value, x.value from json_each(${p.teams}) t
      cross join ${shareOf(
        sql`select ${e.id} as piece from emails e
          where ${isOpen(LINES.scheduled)} and ${e.teamId} = t.value and ${e.notBefore} <= ${p.dueBy}
          order by ${e.notBefore}`,
        sql`${p.releasedOfEach}`,
      )} x
    )`)
