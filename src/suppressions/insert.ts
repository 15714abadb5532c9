import { type SQL, sql } from "drizzle-orm"

/**
 * Lists addresses; the first entry of an address wins. `entries` selects `team_id, email, id,
 * reason, note, source_email_id, created_at` and ends in a condition.
 */
export const insertSuppressions = (entries: SQL) => sql`
  insert into suppressions (team_id, email, id, reason, note, source_email_id, created_at)
  ${entries} on conflict do nothing`
