import { and, desc, eq, lt } from "drizzle-orm"
import { load } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { notFound } from "../http/errors.ts"
import { readCursor, toPage } from "../http/page.ts"
import { mapLimit } from "../lib/chunk.ts"
import { unpackMessage } from "../providers/sandbox/message.ts"
import { sandboxMessages } from "../providers/sandbox/table.ts"
import type { listSandboxMessages as contract, SandboxMessage } from "./contract.ts"
import { isTo } from "./list.ts"

const LOOK_EVERY_MS = 250
const PARSED_AT_ONCE = 4

/** The test inbox. With `wait` the reply is held back until there is something to show. */
export async function listSandboxMessages(ctx: Ctx, query: InputOf<typeof contract>["query"]) {
  const below = readCursor("email", query.cursor)
  const until = ctx.now() + query.wait * 1000
  let rows = await select(ctx, query, below)
  if (ctx.settings.PROVIDER !== "sandbox") throw notFound("Path")
  while (rows.length === 0 && ctx.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    rows = await select(ctx, query, below)
  }
  const { data, nextCursor } = toPage(
    rows.map((row) => ({ ...row, id: row.emailId })),
    query.limit,
  )
  return { data: await mapLimit(data, PARSED_AT_ONCE, (row) => toMessage(ctx, row)), nextCursor }
}

async function select(ctx: Ctx, query: InputOf<typeof contract>["query"], below?: string) {
  const { to, emailId, limit } = query
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(sandboxMessages)
      .where(
        and(
          eq(sandboxMessages.teamId, ctx.team),
          emailId !== undefined ? eq(sandboxMessages.emailId, emailId) : undefined,
          below ? lt(sandboxMessages.emailId, below) : undefined,
          to !== undefined ? isTo(ctx, to) : undefined,
        ),
      )
      .orderBy(desc(sandboxMessages.emailId))
      .limit(limit + 1),
  ])
  return rows
}

async function toMessage(
  ctx: Ctx,
  row: typeof sandboxMessages.$inferSelect,
): Promise<SandboxMessage> {
  const packed = await load(ctx.env, row)
  if (!packed) throw new Error(`The sandbox lost the message of ${row.emailId}`)
  return {
    ...(await unpackMessage(row, packed)),
    emailId: row.emailId,
    envelope: { from: row.sender, to: row.recipients },
    createdAt: row.createdAt,
  }
}
