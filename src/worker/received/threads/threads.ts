import { and, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm"
import { ID_ALPHABET } from "../../../lib/id.ts"
import { emails } from "../../emails/table.ts"
import { toEmail } from "../../emails/view.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { isBelow } from "../../platform/http/list.ts"
import { type Page, type PageQuery, parseCursor, writeCursor } from "../../platform/http/page.ts"
import { afterScan, SCAN_LIMIT, selectEndOfScan } from "../../platform/http/scan.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { isLiveInbox } from "../inboxes/local-inboxes.ts"
import { positionOf } from "../reading/join-thread.ts"
import { receivedEmails, type ThreadRow, threads } from "../table.ts"
import { toReceived } from "../view.ts"
import type * as contract from "./threads-contract.ts"
import type { Thread, ThreadMessage } from "./threads-contract.ts"

const NOUN = "Thread"

const isPosition = (text: string) => new RegExp(`^[${ID_ALPHABET}]{26}$`).test(text) && text

export async function listThreads(
  ctx: Ctx,
  { inboxId, state, limit, cursor }: InputOf<typeof contract.listThreads>["query"],
) {
  const below = parseCursor(cursor, isPosition)
  const ofTeam = and(eq(threads.teamId, ctx.team), isBelow(threads.position, below))
  const walk = (size: number) =>
    ctx.db
      .select({
        id: sql<string>`${threads.position}`.as("id"),
        threadId: sql<string>`${threads.id}`.as("thread_id"),
      })
      .from(threads)
      .where(ofTeam)
      .orderBy(desc(threads.position))
      .limit(size)
  const isLive = isLiveInbox(sql`${ctx.team}`, sql`${threads.inboxId}`)
  const scanned = walk(SCAN_LIMIT).as("scanned")
  const isFiltered = inboxId !== undefined || state !== undefined
  const found = isFiltered
    ? ctx.db
        .select(getTableColumns(threads))
        .from(scanned)
        .innerJoin(threads, and(eq(threads.teamId, ctx.team), eq(threads.id, scanned.threadId)))
        .where(
          and(
            isLive,
            inboxId === undefined ? undefined : eq(threads.inboxId, inboxId),
            state === undefined ? undefined : inArray(threads.state, state),
          ),
        )
        .orderBy(desc(threads.position))
        .limit(limit + 1)
    : ctx.db
        .select()
        .from(threads)
        .where(and(ofTeam, isLive))
        .orderBy(desc(threads.position))
        .limit(limit + 1)
  const [rows, end] = await ctx.batch(
    isFiltered ? [found, selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), found, limit)] : [found],
  )
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const nextCursor = rows.length > limit && last ? writeCursor(last.position) : null
  return afterScan({ data, nextCursor }, end, limit)
}

export async function readThread(ctx: Ctx, id: string): Promise<ThreadRow> {
  const [[row]] = await ctx.batch([ctx.db.select().from(threads).where(isThread(ctx, id))])
  return orNotFound(row, NOUN)
}

export async function updateThread(
  ctx: Ctx,
  id: string,
  { state }: InputOf<typeof contract.updateThread>["json"],
): Promise<Thread> {
  const { updated } = await commit(ctx, {
    updated: ctx.db.update(threads).set({ state }).where(isThread(ctx, id)).returning(),
    audit: await auditEntry(ctx, "threads.update", { id }),
  })
  return orNotFound(updated[0], NOUN)
}

const isThread = (ctx: Ctx, id: string) =>
  and(
    eq(threads.teamId, ctx.team),
    eq(threads.id, id),
    isLiveInbox(sql`${ctx.team}`, sql`${threads.inboxId}`),
  )

const idInOrder = sql`substr(value, instr(value, '_') + 1)`

/** Oldest first. Mail that was deleted meanwhile is left out. */
export async function listThreadMessages(
  ctx: Ctx,
  id: string,
  { limit, cursor }: PageQuery,
): Promise<Page<ThreadMessage>> {
  const after = parseCursor(cursor, isPosition) ?? ""
  const ids = sql`
    select value from json_each((select ${threads.messages} from ${threads} where ${isThread(ctx, id)}))
    where ${idInOrder} > ${after} order by ${idInOrder} limit +${limit + 1}`
  const [[thread], asked, received, sent] = await ctx.batch([
    ctx.db.select({ id: threads.id }).from(threads).where(isThread(ctx, id)),
    ctx.db.all<{ value: string }>(ids),
    ctx.db
      .select()
      .from(receivedEmails)
      .where(and(eq(receivedEmails.teamId, ctx.team), sql`${receivedEmails.id} in (${ids})`)),
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), sql`${emails.id} in (${ids})`)),
  ])
  orNotFound(thread, NOUN)
  const byId = new Map<string, ThreadMessage>([
    ...received.map((row) => [row.id, { kind: "received", received: toReceived(row) }] as const),
    ...sent.map((row) => [row.id, { kind: "email", email: toEmail(row) }] as const),
  ])
  const page = asked.slice(0, limit).map(({ value }) => value)
  const last = page.at(-1)
  return {
    data: page.flatMap((id) => byId.get(id) ?? []),
    nextCursor: asked.length > limit && last ? writeCursor(positionOf(last)) : null,
  }
}
