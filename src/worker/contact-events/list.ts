import { and, eq, sql } from "drizzle-orm"
import { isListed } from "../contacts/contacts.ts"
import { contacts } from "../contacts/table.ts"
import type { Ctx } from "../platform/context.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { isInRange, pageOrder } from "../platform/http/list.ts"
import { type PageQuery, toPage } from "../platform/http/page.ts"
import type { listContactEvents as contract } from "./contract.ts"
import { contactEvents } from "./table.ts"

export async function listContactEvents(
  ctx: Ctx,
  bookId: string,
  id: string,
  query: PageQuery,
): Promise<OutputOf<typeof contract>> {
  const [[contact], rows] = await ctx.batch([
    ctx.db
      .select({ id: contacts.id })
      .from(contacts)
      .where(isListed(ctx, bookId, id)),
    ctx.db
      .select()
      .from(contactEvents)
      .where(
        and(
          eq(contactEvents.teamId, ctx.team),
          sql`unlikely(${eq(contactEvents.contactId, id)})`,
          isInRange(contactEvents.id, "event", query),
        ),
      )
      .orderBy(pageOrder(contactEvents.id, query))
      .limit(query.limit + 1),
  ])
  orNotFound(contact, "Contact")
  return toPage(rows, query.limit)
}
