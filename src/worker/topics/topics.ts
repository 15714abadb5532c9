import { and, eq, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type * as contract from "./contract.ts"
import { MAX_TOPICS, type Topic } from "./contract.ts"
import { topics } from "./table.ts"

const NOUN = "Topic"

export async function createTopic(
  ctx: Ctx,
  input: InputOf<typeof contract.createTopic>["json"],
): Promise<Topic> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("topic", now)
  const { created } = await commit(ctx, {
    stored: ctx.db.run(
      insertInto(
        topics,
        { ...input, id, teamId: team.id, createdAt: now, updatedAt: now },
        sql`where (select count(*) from ${topics} where ${eq(topics.teamId, team.id)}) < ${MAX_TOPICS}`,
      ),
    ),
    audit: await auditEntry(ctx, "topics.create", { id, label: input.name }),
    created: ctx.db.select().from(topics).where(isTopic(ctx, id)),
  })
  if (!created[0]) throw conflict(`A team has at most ${MAX_TOPICS} topics.`)
  return created[0]
}

export const listTopics = (ctx: Ctx, query: PageQuery): Promise<Page<Topic>> =>
  listRecords(ctx, topics, "topic", query)

export async function getTopic(ctx: Ctx, id: string): Promise<Topic> {
  const [[row]] = await ctx.batch([ctx.db.select().from(topics).where(isTopic(ctx, id))])
  return orNotFound(row, NOUN)
}

export async function updateTopic(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateTopic>["json"],
): Promise<Topic> {
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(topics)
      .set({ ...changes, updatedAt: ctx.now() })
      .where(isTopic(ctx, id))
      .returning(),
    audit: await auditEntry(ctx, "topics.update", { id }),
  })
  return orNotFound(updated[0], NOUN)
}

export const isTopic = (ctx: Ctx, id: string) => and(eq(topics.teamId, ctx.team), eq(topics.id, id))
