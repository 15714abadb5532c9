import { and, desc, eq, inArray, lt, sql } from "drizzle-orm"
import { ID_ALPHABET } from "../../lib/id.ts"
import { emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { type Page, type PageQuery, parseCursor, writeCursor } from "../platform/http/page.ts"
import { SCAN_LIMIT, selectEndOfScan } from "../platform/http/scan.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { isLiveInbox } from "./local-inboxes.ts"
import { receivedEmails, type ThreadRow, threads } from "./table.ts"
import type * as contract from "./threads-contract.ts"
import type { Thread, ThreadMessage } from "./threads-contract.ts"
import { toReceived } from "./view.ts"

const NOUN = "Thread"

const isPosition = (text: string) => new RegExp(`^[${ID_ALPHABET}]{26}$`).test(text) && text

export async function listThreads(
  ctx: Ctx,
  { inboxId, state, limit, cursor }: InputOf<typeof contract.listThreads>["query"],
) {
  const below = parseCursor(cursor, isPosition)
  const walk = (size: number) =>
    ctx.db
      .select({ id: threads.position, threadId: sql`${threads.id}`.as("thread_id") })
      .from(threads)
      .where(
        and(
          eq(threads.teamId, ctx.team),
          below === undefined ? undefined : lt(threads.position, below),
        ),
      )
      .orderBy(desc(threads.position))
      .limit(size)
  const scanned = walk(SCAN_LIMIT).as("scanned")
  const found = ctx.db
    .select({ row: threads, id: scanned.id })
    .from(scanned)
    .innerJoin(threads, and(eq(threads.teamId, ctx.team), eq(threads.id, scanned.threadId)))
    .where(
      and(
        isLiveInbox(sql`${ctx.team}`, sql`${threads.inboxId}`),
        inboxId === undefined ? undefined : eq(threads.inboxId, inboxId),
        state === undefined ? undefined : inArray(threads.state, state),
      ),
    )
    .orderBy(desc(scanned.id))
    .limit(limit + 1)
  const [rows, [last, more]] = await ctx.batch([
    found,
    selectEndOfScan(ctx.db, walk(SCAN_LIMIT + 1), found, limit),
  ])
  const data = rows.slice(0, limit).map(({ row }) => row)
  const end = rows.length > limit ? rows[limit - 1]?.id : more && last?.id
  const isCut = rows.length <= limit && end !== undefined && data.length < limit
  return {
    data,
    nextCursor: end === undefined ? null : writeCursor(end),
    ...(isCut && { searchedUntil: positionTime(end) }),
  }
}

const positionTime = (position: string) =>
  [...position.slice(0, 10)].reduce((time, sign) => 32 * time + ID_ALPHABET.indexOf(sign), 0)

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

const timeOrder = (id: string) => id.slice(id.indexOf("_") + 1)

/** Oldest first. Mail that was deleted meanwhile is left out. */
export async function listThreadMessages(
  ctx: Ctx,
  id: string,
  { limit, cursor }: PageQuery,
): Promise<Page<ThreadMessage>> {
  const after = parseCursor(cursor, isPosition) ?? ""
  const thread = await readThread(ctx, id)
  const later = thread.messages.filter((id) => timeOrder(id) > after)
  const inOrder = later.sort((a, b) => (timeOrder(a) < timeOrder(b) ? -1 : 1))
  const ids = inOrder.slice(0, limit)
  const [received, sent] = await ctx.batch([
    ctx.db
      .select()
      .from(receivedEmails)
      .where(and(eq(receivedEmails.teamId, ctx.team), isOneOf(receivedEmails.id, ids))),
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), isOneOf(emails.id, ids))),
  ])
  const byId = new Map<string, ThreadMessage>([
    ...received.map((row) => [row.id, { kind: "received", received: toReceived(row) }] as const),
    ...sent.map((row) => [row.id, { kind: "email", email: toEmail(row) }] as const),
  ])
  const last = ids.at(-1)
  return {
    data: ids.flatMap((id) => byId.get(id) ?? []),
    nextCursor: inOrder.length > limit && last ? writeCursor(timeOrder(last)) : null,
  }
}
