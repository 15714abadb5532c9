import { and, asc, eq, gt, lte, sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import { contacts, hasChoices } from "./table.ts"

/** The contact `count` places after an address, among those with choices. */
export const selectChooser = ({ db }: Work, teamId: string, after: string, count: number) =>
  db
    .select({ email: contacts.email })
    .from(contacts)
    .where(and(eq(contacts.teamId, teamId), hasChoices, gt(contacts.email, after)))
    .orderBy(asc(contacts.email))
    .limit(1)
    .offset(count - 1)

interface Cleared {
  teamId: string
  topicId: string
  after: string
  /** The last address; absent for all that follow. */
  to: string | undefined
}

/** Takes the choices of a topic from the contacts of a range of addresses. Fires no events. */
export const clearChoices = (work: Work, { teamId, topicId, after, to }: Cleared) =>
  work.db
    .update(contacts)
    .set({
      topics: sql`json_remove(${contacts.topics}, ${`$."${topicId}"`})`,
      updatedAt: sql`max(${work.now()}, ${contacts.updatedAt} + 1)`,
    })
    .where(
      and(
        eq(contacts.teamId, teamId),
        hasChoices,
        gt(contacts.email, after),
        to === undefined ? undefined : lte(contacts.email, to),
        sql`${contacts.topics} ->> ${topicId} is not null`,
      ),
    )
