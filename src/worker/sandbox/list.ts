import { and, desc, eq, inArray, sql } from "drizzle-orm"
import { formatMailbox } from "../../lib/address.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import type { Ctx } from "../platform/context.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { notFound } from "../platform/http/errors.ts"
import { isBelow } from "../platform/http/list.ts"
import { readCursor, toPage } from "../platform/http/page.ts"
import { sandboxMessages } from "../providers/sandbox/table.ts"
import type { listInbox as contract } from "./dashboard-contract.ts"

/** The messages of the test inbox, without their content. */
export async function listInbox(
  ctx: Ctx,
  { to, limit, cursor }: InputOf<typeof contract>["query"],
) {
  const [rows] = await ctx.batch([
    ctx.db
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
      .where(
        and(
          eq(sandboxMessages.teamId, ctx.team),
          isBelow(sandboxMessages.emailId, readCursor("email", cursor)),
          isTo(ctx, to),
        ),
      )
      .orderBy(desc(sandboxMessages.emailId))
      .limit(limit + 1),
  ])
  if (ctx.settings.PROVIDER !== "sandbox") throw notFound("Path")
  const page = toPage(rows, limit)
  return {
    ...page,
    data: page.data.map(({ sender, from, subject, ...row }) => ({
      ...row,
      subject: subject ?? "",
      from: from ? formatMailbox(JSON.parse(from)) : sender,
    })),
  }
}

export const isTo = (ctx: Ctx, address: string | undefined) =>
  address === undefined
    ? undefined
    : inArray(
        sandboxMessages.emailId,
        ctx.db
          .select({ id: emailRecipients.emailId })
          .from(emailRecipients)
          .where(and(eq(emailRecipients.teamId, ctx.team), eq(emailRecipients.address, address))),
      )
