import { and, eq, sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import { deleteFromBuckets } from "../platform/db/buckets.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { textsKeyOf } from "./reading/record.ts"
import { type ReceivedRow, receivedEmails, threads } from "./table.ts"

type Deleted = Pick<ReceivedRow, "id" | "objectKey" | "threadId">

/** Deletes mail with its messages in R2, which go first. A thread without messages goes, too. */
export async function deleteReceived(
  work: Work,
  teamId: string,
  rows: readonly Deleted[],
  audit: readonly Statement[] = [],
): Promise<void> {
  if (rows.length === 0) return
  const keys = rows.flatMap(({ objectKey }) =>
    objectKey ? [objectKey, textsKeyOf(objectKey)] : [],
  )
  await deleteFromBuckets(work.env, keys)
  const ids = rows.map(({ id }) => id)
  const threadIds = [...new Set(rows.flatMap(({ threadId }) => threadId ?? []))]
  const areTheirs = and(eq(threads.teamId, teamId), isOneOf(threads.id, threadIds))
  const left = sql`(
    select json_group_array(value) from json_each(${threads.messages})
    where not ${isOneOf(sql`value`, ids)})`
  const gone = sql`(
    select count(*) from json_each(${threads.messages}) where ${isOneOf(sql`value`, ids)})`
  await commit(work, {
    emails: work.db
      .delete(receivedEmails)
      .where(and(eq(receivedEmails.teamId, teamId), isOneOf(receivedEmails.id, ids))),
    audit,
    threads: work.db
      .update(threads)
      .set({ messages: left, messageCount: sql`${threads.messageCount} - ${gone}` })
      .where(areTheirs),
    empty: work.db.delete(threads).where(
      and(
        areTheirs,
        sql`not exists (
          select 1 from json_each(${threads.messages}) where substr(value, 1, 4) = 'rcv_')`,
      ),
    ),
  })
}
