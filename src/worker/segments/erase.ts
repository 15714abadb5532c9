import { and, eq, or, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { commonPart, redactor } from "../../lib/redact.ts"
import { untilWon } from "../../lib/until-won.ts"
import { campaignRuns } from "../campaigns/table.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { segments } from "./table.ts"

/**
 * Puts a hash in place of an address in names and filters, also those that campaigns keep. It looks
 * again after each change: a filter may have been saved, or a campaign started with it, meanwhile.
 */
export const eraseInSegments = (work: Work, teamId: string, email: string, erased: string) =>
  untilWon(async () => {
    const changes = await findChanges(work, teamId, email, erased)
    const [first, ...more] = changes
    if (!first) return true
    await work.db.batch([first, ...more])
    return undefined
  })

/** Each change needs the texts as they were read. */
async function findChanges(
  work: Work,
  teamId: string,
  email: string,
  erased: string,
): Promise<Query[]> {
  const redact = redactor(email, erased)
  const names = (text: SQLiteColumn) => sql`instr(lower(${text}), ${commonPart(email)})`
  const ofTeam = eq(segments.teamId, teamId)
  const runsOfTeam = eq(campaignRuns.teamId, teamId)
  const [saved, kept] = await work.db.batch([
    work.db
      .select({ id: segments.id, name: segments.name, filter: text(segments.filter) })
      .from(segments)
      .where(and(ofTeam, or(names(segments.name), names(segments.filter)))),
    work.db
      .select({ id: campaignRuns.campaignId, filter: text(campaignRuns.segmentFilter) })
      .from(campaignRuns)
      .where(and(runsOfTeam, names(campaignRuns.segmentFilter))),
  ])
  const redactJson = (json: string) => JSON.stringify(redact(JSON.parse(json)))
  return [
    ...saved.flatMap((old) => {
      const fresh = { name: redact(old.name), filter: redactJson(old.filter) }
      if (fresh.name === old.name && fresh.filter === old.filter) return []
      return work.db
        .update(segments)
        .set({ name: fresh.name, filter: sql`${fresh.filter}` })
        .where(
          and(
            ...[ofTeam, eq(segments.id, old.id), eq(segments.name, old.name)],
            sql`${segments.filter} = ${old.filter}`,
          ),
        )
    }),
    ...kept.flatMap(({ id, filter }) => {
      const fresh = redactJson(filter)
      if (fresh === filter) return []
      return work.db
        .update(campaignRuns)
        .set({ segmentFilter: sql`${fresh}` })
        .where(
          and(
            runsOfTeam,
            eq(campaignRuns.campaignId, id),
            sql`${campaignRuns.segmentFilter} = ${filter}`,
          ),
        )
    }),
  ]
}

const text = (column: SQLiteColumn) => sql<string>`${column}`
