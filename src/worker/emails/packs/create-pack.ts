import { and, eq, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { ownBucket } from "../../platform/db/buckets.ts"
import { assignments } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { deleteObjects } from "../../platform/db/overflow.ts"
import { movePosition } from "../retention/purge-position.ts"
import { emailContents, emails, packs } from "../table.ts"
import { dayOf, packKey } from "./pack.ts"

export interface Member {
  id: string
  /** Gzip. */
  content: Buffer
}

/**
 * Writes a pack of contents of one day, then commits their ranges and the team's position: all or
 * nothing. If an erasure, a purge or another run has deleted one of the contents meanwhile, the pack
 * is deleted again, and the answer is false.
 */
export async function createPack(
  work: Work,
  teamId: string,
  members: readonly [Member, ...Member[]],
  position: string,
): Promise<boolean> {
  const pack = crypto.randomUUID().slice(0, 8)
  const objectKey = packKey(teamId, dayOf(members[0].id), pack)
  await work.db.insert(packs).values({ teamId, objectKey, openSince: work.now() })
  await ownBucket(work.env).put(objectKey, Buffer.concat(members.map(({ content }) => content)))
  const ranges = rangesOf(teamId, members)
  const [closed] = await work.db.batch(
    commitRanges(work, { teamId, objectKey, pack, ranges, position }),
  )
  const isCommitted = closed.meta.changes > 0
  if (!isCommitted) await deletePacks(work, [{ teamId, objectKey }])
  return isCommitted
}

interface MemberRange {
  teamId: string
  id: string
  offset: number
  length: number
}

function rangesOf(teamId: string, members: readonly Member[]): MemberRange[] {
  let end = 0
  return members.map(({ id, content: { length } }) => {
    end += length
    return { teamId, id, offset: end - length, length }
  })
}

const x = jsonFields<MemberRange>()

interface Pack {
  teamId: string
  objectKey: string
  pack: string
  ranges: readonly MemberRange[]
  position: string
}

function commitRanges(work: Work, { teamId, objectKey, pack, ranges, position }: Pack) {
  const { db } = work
  const rows = jsonRows(ranges)
  const isClosed = sql`exists (select 1 from packs where ${packs.teamId} = ${teamId}
    and ${packs.objectKey} = ${objectKey} and ${packs.openSince} is null)`
  return [
    db.run(sql`
      update packs set ${assignments(packs, { openSince: null })}
      where ${packs.teamId} = ${teamId} and ${packs.objectKey} = ${objectKey}
        and ${ranges.length} = (
          select count(${emailContents.body}) from ${rows}
          cross join email_contents on ${emailContents.teamId} = ${teamId}
            and ${emailContents.emailId} = ${x.id})`),
    db.run(sql`
      update emails set ${assignments(emails, {
        pack,
        packOffset: x.offset,
        packLength: x.length,
        claimedBy: null,
      })}
      from ${rows}
      where ${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.id} and ${isClosed}`),
    db
      .delete(emailContents)
      .where(
        and(
          eq(emailContents.teamId, teamId),
          sql`${emailContents.emailId} in (select ${x.id} from ${rows}) and ${isClosed}`,
        ),
      ),
    movePosition(work, { teamId, kind: "packs", position }, isClosed),
  ] as const
}

/** The objects go first: a row leads a later sweep to an object that is still there. */
export async function deletePacks(
  work: Work,
  rows: readonly { teamId: string; objectKey: string }[],
): Promise<void> {
  if (rows.length === 0) return
  await deleteObjects(work.env, rows)
  const row = jsonFields<(typeof rows)[number]>()
  await work.db.delete(packs).where(
    sql`(${packs.teamId}, ${packs.objectKey}) in (
        select ${row.teamId}, ${row.objectKey} from ${jsonRows(rows)})`,
  )
}
