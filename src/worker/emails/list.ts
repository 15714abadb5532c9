import type { Ctx } from "../platform/context.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { BOUNDS, readWalk } from "../platform/http/list.ts"
import { type Page, type PageQuery, toPage, writeCursor } from "../platform/http/page.ts"
import type { listEmails as contract, Email } from "./contract.ts"
import { FILTERS, isRare, statementsFor } from "./list-sql.ts"
import { toEmail } from "./view.ts"

type ListQuery = InputOf<typeof contract>["query"]

export async function listEmails(ctx: Ctx, query: ListQuery & PageQuery): Promise<Page<Email>> {
  const values = {
    ...query,
    ...readWalk("email", query),
    limit: query.limit,
    size: query.limit + 1,
  }
  const given = [...FILTERS, ...BOUNDS].filter((name) => values[name] !== undefined)
  const { selectPage, endOfScan } = statementsFor(
    [...given, ...(isRare(query.status) ? ["rare"] : [])].join(" "),
  )
  const page = selectPage(ctx, values)
  const [rows, [last, more] = []] = await ctx.batch(
    endOfScan ? [page, endOfScan(ctx, values)] : [page],
  )
  const { data, nextCursor } = toPage(rows, query.limit, query.before)
  const goesOn = last && more ? writeCursor(last.id) : null
  return { data: data.map(toEmail), nextCursor: nextCursor ?? goesOn }
}
