import { and, desc, eq } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { isBelow } from "../../platform/http/list.ts"
import { type PageQuery, readCursor, toPage } from "../../platform/http/page.ts"
import { isListed } from "../contacts.ts"
import { contacts } from "../table.ts"
import type { listConfirmations as contract } from "./contract.ts"
import { confirmations } from "./table.ts"

export async function listConfirmations(
  ctx: Ctx,
  { id: bookId, contactId }: InputOf<typeof contract>["params"],
  { limit, cursor }: PageQuery,
): Promise<OutputOf<typeof contract>> {
  const { found, rows } = await namedBatch(ctx, {
    found: ctx.db
      .select({ id: contacts.id })
      .from(contacts)
      .where(isListed(ctx, bookId, contactId)),
    rows: ctx.db
      .select()
      .from(confirmations)
      .where(
        and(
          eq(confirmations.teamId, ctx.team),
          eq(confirmations.bookId, bookId),
          eq(confirmations.contactId, contactId),
          isBelow(confirmations.id, readCursor("consent", cursor)),
        ),
      )
      .orderBy(desc(confirmations.id))
      .limit(limit + 1),
  })
  orNotFound(found[0], "Contact")
  return toPage(rows, limit)
}
