import { and, eq, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { emails } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
import { deleteMessages, sandboxMessages } from "../providers/sandbox/table.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { createEraser } from "./erased-email.ts"
import { readTexts } from "./read-texts.ts"
import { erasures } from "./table.ts"
import { eraseTimelines } from "./timelines.ts"

const ROUNDS = { rounds: 4, size: 1 }
const REPLIES = { table: emails, columns: [emails.replyTo] }

/**
 * Erases an address as reply-to of emails to others. No index has it, so an erasure reads the whole
 * log, 20,000 emails a sweep. Answers whether it came to the end.
 */
export const eraseReplies = (work: Work, teamId: string, email: string): Promise<boolean> =>
  inRounds(ROUNDS, async () => {
    const ofAddress = and(eq(erasures.teamId, teamId), eq(erasures.email, email))
    const { rows, last } = await readTexts(work.db, REPLIES, {
      teamId,
      after: [sql`coalesce((select ${erasures.position} from ${erasures} where ${ofAddress}), '')`],
      condition: sql`exists (
        select 1 from json_each(${emails.replyTo}) r where r.value ->> '$.address' = ${email})`,
    })
    const ids = rows.flatMap(({ key }) => key)
    if (ids.length > 0) await eraseIn(work, { teamId, email, ids })
    if (last === null) return []
    await work.db.update(erasures).set({ position: last[0] }).where(ofAddress)
    return last
  })

interface Found {
  teamId: string
  email: string
  ids: readonly string[]
}

/** The test inbox loses its copies: each has the address in its content. */
async function eraseIn(work: Work, { teamId, email, ids }: Found): Promise<void> {
  const kept = await work.db
    .select({ objectKey: sandboxMessages.objectKey })
    .from(sandboxMessages)
    .where(and(eq(sandboxMessages.teamId, teamId), isOneOf(sandboxMessages.emailId, ids)))
  await deleteObjects(work.env, kept)
  const erased = { address: erasedForm(work.settings, email) }
  const inPlace = sql`(
    select json_group_array(iif(r.value ->> '$.address' = ${email},
      json(${JSON.stringify(erased)}), json(r.value)))
    from json_each(${emails.replyTo}) r)`
  await commit(work, {
    replies: work.db
      .update(emails)
      .set({ replyTo: inPlace })
      .where(and(eq(emails.teamId, teamId), isOneOf(emails.id, ids))),
    messages: deleteMessages(work, teamId, ids),
  })
  const { eraseMailbox } = createEraser(work.settings, email)
  await eraseTimelines(work, {
    teamId,
    eraser: {
      eraseReport: (data) => data,
      eraseEventData: ({ email, event }) => ({
        email: { ...email, replyTo: email.replyTo.map(eraseMailbox) },
        event,
      }),
    },
    subjects: new Map(ids.map((id) => [id, undefined])),
  })
}
