import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../env.ts"

/** Writes timelines: `entries` selects `team_id, email_id, id, type, occurred_at, data`. */
export const writeTimeline = ({ db }: Pick<Work, "db">, entries: SQL) =>
  db.run(sql`insert into email_events (team_id, email_id, id, type, occurred_at, data) ${entries}`)
