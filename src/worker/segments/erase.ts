import { and, eq, sql } from "drizzle-orm"
import { redactor } from "../../lib/redact.ts"
import { campaignRuns } from "../campaigns/table.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { segments } from "./table.ts"

/** Puts a hash in place of an address in names and filters, also those that campaigns keep. */
export async function eraseInSegments(
  work: Work,
  teamId: string,
  email: string,
  erased: string,
): Promise<void> {
  const redact = redactor(email, erased)
  const names = (text: typeof segments.name | typeof segments.filter) =>
    sql`instr(lower(${text}), ${email})`
  const [saved, kept] = await work.db.batch([
    work.db
      .select({ id: segments.id, name: segments.name, filter: segments.filter })
      .from(segments)
      .where(
        and(eq(segments.teamId, teamId), sql`${names(segments.name)} or ${names(segments.filter)}`),
      ),
    work.db
      .select({ id: campaignRuns.campaignId, filter: campaignRuns.segmentFilter })
      .from(campaignRuns)
      .where(
        and(
          eq(campaignRuns.teamId, teamId),
          sql`instr(lower(${campaignRuns.segmentFilter}), ${email})`,
        ),
      ),
  ])
  const changes: Query[] = [
    ...saved.map(({ id, name, filter }) =>
      work.db
        .update(segments)
        .set({ name: redact(name), filter: redact(filter) })
        .where(and(eq(segments.teamId, teamId), eq(segments.id, id))),
    ),
    ...kept.map(({ id, filter }) =>
      work.db
        .update(campaignRuns)
        .set({ segmentFilter: redact(filter) })
        .where(and(eq(campaignRuns.teamId, teamId), eq(campaignRuns.campaignId, id))),
    ),
  ]
  const [first, ...more] = changes
  if (first) await work.db.batch([first, ...more] as [Query, ...Query[]])
}
