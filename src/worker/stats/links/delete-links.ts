import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { linkClicks } from "../table.ts"

/** For the deletion of these campaigns or templates: `owners` selects their teams and ids. */
export const deleteLinks = ({ db }: Pick<Work, "db">, owners: SQL) =>
  db.delete(linkClicks).where(sql`(${linkClicks.teamId}, ${linkClicks.ownerId}) in (${owners})`)
