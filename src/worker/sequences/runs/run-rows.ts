import { and, eq, isNull } from "drizzle-orm"
import { contacts } from "../../contacts/table.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { pageOrder } from "../../platform/http/list.ts"
import { type PageQuery, toPage } from "../../platform/http/page.ts"
import { afterScan } from "../../platform/http/scan.ts"
import { sequences } from "../table.ts"
import type { listRunRows as contract } from "./dashboard-contract.ts"
import { selectRunPage } from "./run-page.ts"

export async function listRunRows(
  ctx: Ctx,
  query: InputOf<typeof contract>["query"] & PageQuery,
): Promise<OutputOf<typeof contract>> {
  const { page, end } = selectRunPage(ctx, query)
  const run = page.as("page")
  const people = ctx.db
    .select({
      ...run._.selectedFields,
      bookId: sequences.bookId,
      sequenceName: sequences.name,
      email: contacts.email,
    })
    .from(run)
    .innerJoin(
      sequences,
      and(
        eq(sequences.teamId, run.teamId),
        eq(sequences.id, run.sequenceId),
        isNull(sequences.deletedAt),
      ),
    )
    .leftJoin(
      contacts,
      and(
        eq(contacts.teamId, run.teamId),
        eq(contacts.bookId, sequences.bookId),
        eq(contacts.id, run.contactId),
      ),
    )
    .orderBy(pageOrder(run.id, query))
  const [rows, ended] = await ctx.batch(end ? [people, end] : [people])
  return afterScan(toPage(rows, query.limit), ended, query.limit)
}
