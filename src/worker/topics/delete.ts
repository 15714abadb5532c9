import { and, eq, sql } from "drizzle-orm"
import { campaignsWithoutTopic } from "../campaigns/run/without-topic.ts"
import { clearChoices, selectChooser } from "../contacts/consents/choices.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { refuseUse, selectUse } from "../sequences/uses.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { deletedTopics, topics } from "./table.ts"
import { isTopic } from "./topics.ts"

const CONTACTS_A_ROUND = 1_000
const TOPICS_A_SWEEP = 5
const ROUNDS = 10

/** Deletes the topic at once. The sweep deletes most choices of a topic with many. */
export async function deleteTopic(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const [[use]] = await ctx.batch([selectUse(ctx, id)])
  refuseUse(use)
  const { deleted } = await commit(ctx, {
    kept: ctx.db.insert(deletedTopics).select(
      ctx.db
        .select({ teamId: topics.teamId, id: topics.id, clearedTo: sql`''`.as("cleared_to") })
        .from(topics)
        .where(isTopic(ctx, id)),
    ),
    ...campaignsWithoutTopic(ctx, team.id, id),
    deleted: ctx.db.delete(topics).where(isTopic(ctx, id)).returning({ id: topics.id }),
    audit: await auditEntry(ctx, "topics.remove", { id }),
  })
  orNotFound(deleted[0], "Topic")
  await clearSome(ctx, { teamId: team.id, id, clearedTo: "" })
}

export async function sweepDeletedTopics(work: Work): Promise<void> {
  for (const topic of await work.db.select().from(deletedTopics).limit(TOPICS_A_SWEEP)) {
    let left: Deleted | undefined = topic
    for (let round = 0; left && round < ROUNDS; round++) left = await clearSome(work, left)
  }
}

type Deleted = typeof deletedTopics.$inferSelect

/** Deletes the choices of some addresses; answers how far it came, and nothing after the last. */
async function clearSome(work: Work, topic: Deleted): Promise<Deleted | undefined> {
  const { teamId, id, clearedTo } = topic
  const [last] = await selectChooser(work, teamId, clearedTo, CONTACTS_A_ROUND)
  const isDeleted = and(eq(deletedTopics.teamId, teamId), eq(deletedTopics.id, id))
  await namedBatch(work.db, {
    choices: clearChoices(work, { teamId, topicId: id, after: clearedTo, to: last?.email }),
    topic: last
      ? work.db.update(deletedTopics).set({ clearedTo: last.email }).where(isDeleted)
      : work.db.delete(deletedTopics).where(isDeleted),
  })
  return last && { ...topic, clearedTo: last.email }
}
