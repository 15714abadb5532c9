import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { distinctIds } from "../../platform/db/per-owner.ts"
import { placeholders } from "../../platform/db/prepared.ts"
import { emails } from "../table.ts"

/** The priorities of open emails, as numbers in the column `priority`. */
export const PRIORITIES = { transactional: 0, bulk: 1, scheduled: 2 } as const
export type Priority = (typeof PRIORITIES)[keyof typeof PRIORITIES]

/** The table for `isOpen`. Without statistics, SQLite may prefer the primary key: all emails of a team. */
export const OPEN_EMAILS = sql`emails indexed by emails_open`

/** A condition on an email. The index of open emails needs the priority as a literal. */
export const isOpen = (priority: Priority) =>
  sql`${emails.priority} = ${sql.raw(String(priority))} and ${emails.dueAt} is not null`

/** The next team with an open email in this priority: one index step, however many emails it has. */
export const nextTeam = (priority: Priority, team: SQL) => sql`(
  select ${emails.teamId} from ${OPEN_EMAILS} where ${isOpen(priority)} and ${emails.teamId} > ${team}
  order by ${emails.teamId} limit 1)`

/** A recursive table expression: `team (id)` has the teams with open emails, and a null. */
export const openTeams = (priority: Priority, limit = -1) =>
  distinctIds("team", (after) => nextTeam(priority, after), { limit })

/** Selects an email of the team, if there is one, whose lease ends between these times. */
export const selectLeased = (
  { db }: Pick<Work, "db">,
  teamId: string,
  { after, before }: { after: number; before: number },
) => {
  const isLeased = (priority: Priority) => sql`exists (
    select 1 from ${OPEN_EMAILS}
    where ${isOpen(priority)} and ${emails.teamId} = ${teamId} and ${emails.status} = 'sending'
      and ${emails.notBefore} > ${after} and ${emails.notBefore} < ${before})`
  return db.all(
    sql`select 1 where ${isLeased(PRIORITIES.transactional)} or ${isLeased(PRIORITIES.bulk)}`,
  )
}

export interface ClaimValues {
  provider: string
  claim: string
  now: number
  dueBy: number
  lease: number
  /** How many emails the claim may take. */
  size: number
  /** JSON: the teams whose mail may be due. */
  teams: string
  releasedOfEach: number
  /** How many emails of each team the claim takes, if the choice has such a limit. */
  share: number
  /** JSON: `EmailRef[]`, if the choice names its emails. */
  refs: string
}

/** The placeholders of these values in the text of the statements. */
export const placeholder = placeholders<keyof ClaimValues>()
