import { and, desc, eq, getTableColumns } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { load } from "../platform/db/overflow.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { notFound } from "../platform/http/errors.ts"
import { MIB } from "../platform/http/input/body.ts"
import { readCursor, toPage } from "../platform/http/page.ts"
import { afterScan } from "../platform/http/scan.ts"
import { unpackMessage } from "../providers/sandbox/message.ts"
import { sandboxMessages } from "../providers/sandbox/table.ts"
import type { listSandboxMessages as contract, SandboxMessage } from "./contract.ts"
import { shownMessages } from "./search.ts"

const LOOK_EVERY_MS = 250

/** A page ends with the message that makes it larger: a reply has each message raw and in parts. */
const MAX_PAGE_BYTES = 2 * MIB

/** The test inbox. With `wait` the reply is held back until there is something to show. */
export async function listSandboxMessages(ctx: Ctx, query: InputOf<typeof contract>["query"]) {
  const below = readCursor("email", query.cursor)
  const until = ctx.now() + query.wait * 1000
  let [rows, end] = await select(ctx, query, below)
  if (ctx.settings.PROVIDER !== "sandbox") throw notFound("Path")
  while (rows.length === 0 && ctx.now() < until) {
    await scheduler.wait(LOOK_EVERY_MS)
    ;[rows, end] = await select(ctx, query, below)
  }
  const data = await readMessages(ctx, rows.slice(0, query.limit))
  const ids = rows.map(({ emailId: id }) => ({ id }))
  return afterScan({ data, nextCursor: toPage(ids, data.length).nextCursor }, end, query.limit)
}

/** Reads one after the other, so that few large messages are in memory. */
async function readMessages(ctx: Ctx, rows: readonly Row[]): Promise<SandboxMessage[]> {
  const messages: SandboxMessage[] = []
  let bytes = 0
  for (const row of rows) {
    const message = await toMessage(ctx, row)
    messages.push(message)
    bytes += message.raw.length
    if (bytes > MAX_PAGE_BYTES) break
  }
  return messages
}

const { words: _, ...columns } = getTableColumns(sandboxMessages)
type Row = Omit<typeof sandboxMessages.$inferSelect, "words">

async function select(ctx: Ctx, query: InputOf<typeof contract>["query"], below?: string) {
  const { emailId, limit } = query
  const { isShown, end: endOfScan } = shownMessages(ctx, query, below)
  const selected = ctx.db
    .select(columns)
    .from(sandboxMessages)
    .where(and(isShown, emailId === undefined ? undefined : eq(sandboxMessages.emailId, emailId)))
    .orderBy(desc(sandboxMessages.emailId))
    .limit(limit + 1)
  return ctx.batch(endOfScan ? [selected, endOfScan] : [selected])
}

async function toMessage(ctx: Ctx, row: Row): Promise<SandboxMessage> {
  const packed = await load(ctx.env, row)
  if (!packed) throw new Error(`The sandbox lost the message of ${row.emailId}`)
  return {
    ...(await unpackMessage(row, packed)),
    emailId: row.emailId,
    envelope: { from: row.sender, to: row.recipients },
    createdAt: row.createdAt,
  }
}
