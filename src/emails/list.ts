import { and, eq, exists, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { inWalk, isInWalk } from "../http/list.ts"
import { type Page, type PageQuery, toPage, writeCursor } from "../http/page.ts"
import type { listEmails as contract, Email, EmailStatus } from "./contract.ts"
import { emailRecipients, emails, emailTags } from "./table.ts"
import { toEmail } from "./view.ts"

type ListQuery = InputOf<typeof contract>["query"]
type Filters = Partial<Pick<ListQuery, "status" | "to" | "domainId" | "tag" | "campaignId">>

/** How many emails a page reads at most to find those that a filter without an index matches. */
export const SCAN_LIMIT = 1_000

export async function listEmails(ctx: Ctx, query: ListQuery & PageQuery): Promise<Page<Email>> {
  const { walk, rest } = chooseWalk(ctx, query, query)
  const filtered = Object.values(rest).some((value) => value !== undefined)
  const scanned = walk(filtered ? SCAN_LIMIT : query.limit + 1).as("scanned")
  const select = ctx.db
    .select()
    .from(scanned)
    .where(matches(ctx, scanned, rest))
    .limit(query.limit + 1)
  const [rows, [last, more] = []] = await ctx.batch(
    filtered ? [select, endOfScan(ctx, walk, select, query.limit)] : [select],
  )
  const page = toPage(rows, query.limit, query.before)
  const goesOn = last && more ? writeCursor(last.id) : null
  return { data: page.data.map(toEmail), nextCursor: page.nextCursor ?? goesOn }
}

/** After a short page of a sparse filter, the next page starts below the last email read. */
const endOfScan = (ctx: Ctx, walk: Walk, page: SQLWrapper, limit: number) =>
  ctx.db.all<{ id: string }>(sql`
    select id from ${walk(SCAN_LIMIT + 1)}
    limit iif((select count(*) from ${page}) <= ${limit}, 2, 0) offset ${SCAN_LIMIT - 1}`)

type Walk = (limit: number) => ReturnType<typeof walkEmails>
type Scanned = ReturnType<ReturnType<typeof walkEmails>["as"]>

/** Reads the index with the fewest matches, newest first; `rest` are the other filters. */
function chooseWalk(
  ctx: Ctx,
  { to, tag, campaignId, status, domainId }: Filters,
  page: PageQuery,
): { walk: Walk; rest: Filters } {
  const through =
    (index: typeof emailRecipients | typeof emailTags, where: SQL): Walk =>
    (limit) =>
      walkIndex(ctx, index, where, page, limit)
  const own =
    (where?: SQL): Walk =>
    (limit) =>
      walkEmails(ctx, where, page, limit)

  if (to !== undefined) {
    const walk = through(emailRecipients, eq(emailRecipients.address, to))
    return { walk, rest: { tag, campaignId, status, domainId } }
  }
  if (tag !== undefined) {
    return {
      walk: through(emailTags, eq(emailTags.tag, tag)),
      rest: { campaignId, status, domainId },
    }
  }
  if (campaignId !== undefined) {
    return {
      walk: own(sql`unlikely(${eq(emails.campaignId, campaignId)})`),
      rest: { status, domainId },
    }
  }
  if (status !== undefined && RARE_STATUSES.includes(status)) {
    return { walk: own(isRarely(status)), rest: { domainId } }
  }
  return { walk: own(), rest: { status, domainId } }
}

/** The statuses of the partial index. The others are short-lived, or those of most emails. */
const RARE_STATUSES: readonly EmailStatus[] = [
  "scheduled",
  "bounced",
  "complained",
  "failed",
  "cancelled",
]

/** The list must be spelled as in the index. The hint keeps SQLite from the primary key. */
const isRarely = (status: EmailStatus) =>
  sql`unlikely(${emails.status} = ${status})
    and ${emails.status} in ('scheduled', 'bounced', 'complained', 'failed', 'cancelled')`

const walkEmails = (ctx: Ctx, where: SQL | undefined, page: PageQuery, limit: number) =>
  ctx.db
    .select(getTableColumns(emails))
    .from(emails)
    .where(and(eq(emails.teamId, ctx.team), where, isInWalk(emails.id, "email", page)))
    .orderBy(inWalk(emails.id, page))
    .limit(limit)

const walkIndex = (
  ctx: Ctx,
  index: typeof emailRecipients | typeof emailTags,
  where: SQL,
  page: PageQuery,
  limit: number,
) =>
  ctx.db
    .select(getTableColumns(emails))
    .from(index)
    .innerJoin(emails, and(eq(emails.teamId, index.teamId), eq(emails.id, index.emailId)))
    .where(and(eq(index.teamId, ctx.team), where, isInWalk(index.emailId, "email", page)))
    .orderBy(inWalk(index.emailId, page))
    .limit(limit) as unknown as ReturnType<typeof walkEmails>

const matches = (ctx: Ctx, scanned: Scanned, { status, domainId, campaignId, tag }: Filters) =>
  and(
    status && eq(scanned.status, status),
    domainId !== undefined ? eq(scanned.domainId, domainId) : undefined,
    campaignId !== undefined ? eq(scanned.campaignId, campaignId) : undefined,
    tag !== undefined
      ? exists(
          ctx.db
            .select({ found: sql`1` })
            .from(emailTags)
            .where(
              and(
                eq(emailTags.teamId, scanned.teamId),
                eq(emailTags.tag, tag),
                eq(emailTags.emailId, scanned.id),
              ),
            ),
        )
      : undefined,
  )
