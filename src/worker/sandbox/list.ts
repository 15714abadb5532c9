import { and, desc, eq, sql } from "drizzle-orm"
import { formatMailbox } from "../../lib/address.ts"
import { emails } from "../emails/table.ts"
import type { Ctx } from "../platform/context.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { notFound } from "../platform/http/errors.ts"
import { readCursor, toPage } from "../platform/http/page.ts"
import { afterScan } from "../platform/http/scan.ts"
import { sandboxMessages } from "../providers/sandbox/table.ts"
import type { listInbox as contract } from "./dashboard-contract.ts"
import { shownMessages } from "./search.ts"

/** The messages of the test inbox, without their content. */
export async function listInbox(
  ctx: Ctx,
  { to, q, limit, cursor }: InputOf<typeof contract>["query"],
) {
  const below = readCursor("email", cursor)
  const { isShown, end: endOfScan } = shownMessages(ctx, { to, q, limit }, below)
  const selected = ctx.db
    .select({
      id: sandboxMessages.emailId,
      sender: sandboxMessages.sender,
      to: sandboxMessages.recipients,
      createdAt: sandboxMessages.createdAt,
      subject: emails.subject,
      // Both tables have a column of this name.
      from: sql<string | null>`${emails.sender}`.as("mailbox"),
    })
    .from(sandboxMessages)
    .leftJoin(
      emails,
      and(eq(emails.teamId, sandboxMessages.teamId), eq(emails.id, sandboxMessages.emailId)),
    )
    .where(isShown)
    .orderBy(desc(sandboxMessages.emailId))
    .limit(limit + 1)
  const [rows, end] = await ctx.batch(endOfScan ? [selected, endOfScan] : [selected])
  if (ctx.settings.PROVIDER !== "sandbox") throw notFound("Path")
  const page = afterScan(toPage(rows, limit), end, limit)
  return {
    ...page,
    data: page.data.map(({ sender, from, subject, ...row }) => ({
      ...row,
      subject: subject ?? "",
      from: from ? formatMailbox(JSON.parse(from)) : sender,
    })),
  }
}
