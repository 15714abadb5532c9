import { and, eq, sql } from "drizzle-orm"
import { HOUR_MS } from "../../../lib/time.ts"
import { contacts } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { leaveDatabaseToOthers } from "../../platform/db/leave-to-others.ts"
import { FIRST_READ, keepMembers, placeAfter, selectCandidates } from "../../segments/members.ts"
import { segments } from "../../segments/table.ts"
import { enterSequences } from "../runs/enter.ts"
import { type SequenceRow, sequenceMembers, sequences } from "../table.ts"
import { isSequence } from "../view.ts"

const LOOK_EVERY_MS = HOUR_MS
/** Above every id: the look begins. */
const BEGIN = "~"

/**
 * Looks at some pages of the book: who matches the segment now and did not at the look before enters.
 * The first look only notes who matches. Answers when to look again.
 */
export async function lookAtSegment(
  work: Work,
  row: SequenceRow,
  most: number,
): Promise<number | null> {
  const { teamId, id, bookId, trigger } = row
  if (trigger.on !== "segment") return null
  const [segment] = await work.db
    .select()
    .from(segments)
    .where(and(eq(segments.teamId, teamId), eq(segments.id, trigger.segmentId)))
  if (!segment) return null
  const isFirst = row.segmentSince === null || row.segmentSince < 0
  let cursor = row.segmentCursor
  let size = FIRST_READ
  // Each look has a time; that of the first one is negative until it ends.
  const began = cursor === null ? work.now() : Math.abs(row.segmentSince ?? work.now())
  for (let page = 0; page < most; page++) {
    const below = cursor ?? undefined
    const place = { below, size }
    const candidates = await selectCandidates(work, teamId, bookId, place)
    const members = await keepMembers(work, teamId, segment.filter, candidates)
    const next = placeAfter(candidates, place)
    // Others begin to match when they subscribe.
    const subscribed = members.filter((member) => member.subscribed)
    const ids = JSON.stringify(subscribed.map((member) => member.id))
    const isOfPage = sql`${sequenceMembers.teamId} = ${teamId} and ${sequenceMembers.sequenceId} = ${id}
      and ${sequenceMembers.contactId} < ${below ?? BEGIN}
      and ${sequenceMembers.contactId} >= ${next?.below ?? ""}`
    const isMember = sql`${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId}
      and ${contacts.id} in (select value from json_each(${ids}))`
    const isNext = sql`exists (select 1 from sequences where ${sequences.teamId} = ${teamId}
      and ${sequences.id} = ${id}
      and ${sequences.segmentCursor} is ${cursor} and ${sequences.version} = ${row.version})`
    const { moved } = await commit(work, {
      runs: isFirst
        ? []
        : [
            enterSequences(
              work,
              sql`${isMember} and ${sequences.id} = ${id} and ${isNext} and not exists (
                select 1 from ${sequenceMembers} where ${sequenceMembers.teamId} = ${teamId}
                  and ${sequenceMembers.sequenceId} = ${id}
                  and ${sequenceMembers.contactId} = ${contacts.id})`,
            ),
          ],
      gone: work.db.delete(sequenceMembers).where(
        sql`${isOfPage} and ${isNext}
            and ${sequenceMembers.contactId} not in (select value from json_each(${ids}))`,
      ),
      members: work.db.run(sql`
        insert or ignore into sequence_members (team_id, sequence_id, contact_id)
        select ${teamId}, ${id}, value from json_each(${ids}) where ${isNext}`),
      moved: work.db
        .update(sequences)
        .set({
          segmentCursor: next?.below ?? null,
          segmentSince: next && isFirst ? -began : began,
        })
        .where(and(isSequence(teamId, id), isNext))
        .returning({ id: sequences.id }),
    })
    if (moved.length === 0) return work.now()
    if (!next) return began + LOOK_EVERY_MS
    cursor = next.below ?? null
    size = next.size
    await leaveDatabaseToOthers()
  }
  return work.now()
}
