import { and, eq, exists } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { selectBook } from "./books.ts"
import type { listConsents as contract } from "./dashboard-contract.ts"
import { contacts } from "./table.ts"

export async function listConsents(
  ctx: Ctx,
  bookId: string,
  id: string,
): Promise<OutputOf<typeof contract>> {
  const [[row]] = await ctx.batch([
    ctx.db
      .select({ consents: contacts.consents })
      .from(contacts)
      .where(
        and(
          eq(contacts.teamId, ctx.team),
          eq(contacts.bookId, bookId),
          eq(contacts.id, id),
          exists(selectBook(ctx, bookId)),
        ),
      ),
  ])
  return { data: orNotFound(row, "Contact").consents.toReversed() }
}
