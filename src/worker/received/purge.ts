import { and, asc, eq, gt, isNull, lt, lte, sql } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { FENCED_TEAMS } from "../teams/moving/fenced.ts"
import { purgeInTurns } from "../teams/purge.ts"
import { teams } from "../teams/table.ts"
import { deleteReceived } from "./delete.ts"
import { deleteLostUploads } from "./lost-uploads.ts"
import { inboxes, receivedDigests, receivedEmails } from "./table.ts"
import { REPEATS_KNOWN_DAYS } from "./taking/take.ts"

const INBOXES_A_SWEEP = 20
const EMAILS_A_ROUND = 200
const LOOKED_AT = 5_000

/** Deletes mail after its inbox's days, and all mail of deleted inboxes. */
export async function purgeReceived(work: Work): Promise<void> {
  const due = await work.db
    .select()
    .from(inboxes)
    .where(and(lte(inboxes.purgeAt, work.now()), sql`${inboxes.teamId} not in (${FENCED_TEAMS})`))
    .orderBy(asc(inboxes.purgeAt))
    .limit(INBOXES_A_SWEEP)
  for (const inbox of due) {
    await purgeInbox(work, inbox)
    await deleteLostUploads(work, inbox.teamId)
  }
  await forgetDigests(work)
}

type InboxRow = typeof inboxes.$inferSelect

/** Reads on from where it ended before. An inbox that is finished is looked at again after a day. */
async function purgeInbox(work: Work, inbox: InboxRow): Promise<void> {
  const { teamId, id, purgedTo, deletedAt, retentionDays } = inbox
  const before =
    deletedAt === null
      ? firstIdAt("received", work.now() - retentionDays * DAY_MS)
      : firstIdAt("received", deletedAt + DAY_MS)
  const walk = work.db
    .select({ id: receivedEmails.id })
    .from(receivedEmails)
    .where(
      and(
        eq(receivedEmails.teamId, teamId),
        gt(receivedEmails.id, purgedTo),
        lt(receivedEmails.id, before),
      ),
    )
    .orderBy(asc(receivedEmails.id))
    .limit(LOOKED_AT)
    .as("walk")
  const { threadId, objectKey } = receivedEmails
  const [[end], old] = await work.db.batch([
    work.db
      .select({ count: sql<number>`count(*)`, last: sql<string | null>`max(${walk.id})` })
      .from(walk),
    work.db
      .select({ id: receivedEmails.id, threadId, objectKey })
      .from(walk)
      .innerJoin(
        receivedEmails,
        and(eq(receivedEmails.teamId, teamId), eq(receivedEmails.id, walk.id)),
      )
      .where(eq(receivedEmails.inboxId, id))
      .orderBy(asc(receivedEmails.id))
      .limit(EMAILS_A_ROUND),
  ])
  await deleteReceived(work, teamId, old)
  const isFull = old.length === EMAILS_A_ROUND
  const position = isFull ? old.at(-1)?.id : end?.last
  const isEnd = !isFull && (end?.count ?? 0) < LOOKED_AT
  const isIt = and(eq(inboxes.teamId, teamId), eq(inboxes.id, id))
  if (isEnd && deletedAt !== null) await work.db.delete(inboxes).where(isIt)
  else {
    await work.db
      .update(inboxes)
      .set({
        ...(position && { purgedTo: position }),
        purgeAt: isEnd ? work.now() + DAY_MS : work.now(),
      })
      .where(and(isIt, deletedAt === null ? isNull(inboxes.deletedAt) : undefined))
  }
}

function forgetDigests(work: Work): Promise<void> {
  const { teamId, day } = receivedDigests
  const before = Math.floor(work.now() / DAY_MS) - REPEATS_KNOWN_DAYS
  const values = sql`select distinct ${day} as value from ${receivedDigests}
    where ${teamId} = ${teams.id} and ${day} < ${before}`
  const x = jsonFields<{ teamId: string; id: number }>()
  return purgeInTurns(work, values, async (select) => {
    const expired = await work.db.all<{ teamId: string; id: number }>(select)
    if (expired.length > 0) {
      await work.db.delete(receivedDigests).where(sql`(${teamId}, ${day}) in (
        select ${x.teamId}, ${x.id} from ${jsonRows(expired)})`)
    }
    return expired
  })
}
