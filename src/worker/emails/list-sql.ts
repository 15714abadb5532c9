import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { remember } from "../../lib/remember.ts"
import type { ScopeText } from "../platform/context.ts"
import type { Db } from "../platform/db/client.ts"
import { placeholders, prepared } from "../platform/db/prepared.ts"
import { type BOUNDS, isWithin } from "../platform/http/list.ts"
import type { EmailStatus } from "./contract.ts"
import { emailRecipients, emails, emailTags } from "./table.ts"
import { SHOWN_COLUMNS } from "./view.ts"

export const FILTERS = ["to", "tag", "campaignId", "status", "domainId"] as const

/** How many emails a page reads at most to find those that a filter without an index matches. */
export const SCAN_LIMIT = 1_000

/** The filters and bounds of a query, and `rare` with a status that has an index. */
type Given = ReadonlySet<string>

interface Listing {
  db: Db
  scope: ScopeText
  given: Given
}

/** The statements for these filters, whatever their values are. */
export const statementsFor = remember((names: string) => {
  const given: Given = new Set(names.split(" "))
  const { walk, rest } = chooseWalk(given)
  const isScan = rest.length > 0
  const select = (listing: Listing) => {
    const scanned = walk(listing, isScan ? SCAN_LIMIT : place.size).as("scanned")
    return listing.db
      .select()
      .from(scanned)
      .where(matches(listing, scanned, rest))
      .limit(place.size)
  }
  return {
    selectPage: prepared((db, _, scope: ScopeText) => select({ db, scope, given })),
    endOfScan: isScan
      ? prepared((db, _, scope: ScopeText) => selectEndOfScan({ db, scope, given }, walk, select))
      : undefined,
  }
}, 200)

/** `size` is one more than the limit. */
const place = placeholders<(typeof FILTERS)[number] | (typeof BOUNDS)[number] | "limit" | "size">()

/** If few emails match, the next page starts below the last email that was read. */
const selectEndOfScan = (listing: Listing, walk: Walk, page: (listing: Listing) => SQLWrapper) =>
  listing.db.all<{ id: string }>(sql`
    select id from ${walk(listing, SCAN_LIMIT + 1)}
    limit iif((select count(*) from ${page(listing)}) <= ${place.limit}, 2, 0)
    offset ${SCAN_LIMIT - 1}`)

type Walk = (listing: Listing, limit: number | Placeholder) => ReturnType<typeof walkEmails>
type Scanned = ReturnType<ReturnType<typeof walkEmails>["as"]>

/** Reads the index with the fewest matches, newest first; `rest` are the other filters. */
function chooseWalk(given: Given): { walk: Walk; rest: string[] } {
  const without = (...used: string[]) =>
    FILTERS.filter((name) => given.has(name) && !used.includes(name))
  if (given.has("to")) {
    return {
      walk: through(emailRecipients, eq(emailRecipients.address, place.to)),
      rest: without("to"),
    }
  }
  if (given.has("tag")) {
    return { walk: through(emailTags, eq(emailTags.tag, place.tag)), rest: without("tag") }
  }
  if (given.has("campaignId")) {
    const isOfCampaign = sql`unlikely(${eq(emails.campaignId, place.campaignId)})`
    return { walk: own(isOfCampaign), rest: without("campaignId") }
  }
  if (given.has("rare")) return { walk: own(isRarely), rest: without("status") }
  return { walk: own(), rest: without() }
}

const through =
  (index: typeof emailRecipients | typeof emailTags, where: SQL): Walk =>
  (listing, limit) =>
    walkIndex(listing, index, where, limit)

const own =
  (where?: SQL): Walk =>
  (listing, limit) =>
    walkEmails(listing, where, limit)

/** The statuses of the partial index. The others are short-lived, or those of most emails. */
const RARE_STATUSES: readonly EmailStatus[] = [
  "scheduled",
  "bounced",
  "complained",
  "failed",
  "cancelled",
]
export const isRare = (status: EmailStatus | undefined) =>
  status !== undefined && RARE_STATUSES.includes(status)

/** The list must be spelled as in the index. The hint keeps SQLite from the primary key. */
const isRarely = sql`unlikely(${emails.status} = ${place.status})
  and ${emails.status} in ('scheduled', 'bounced', 'complained', 'failed', 'cancelled')`

const COLUMNS = getTableColumns(emails)
const SHOWN = Object.fromEntries(SHOWN_COLUMNS.map((name) => [name, COLUMNS[name]])) as Pick<
  typeof COLUMNS,
  (typeof SHOWN_COLUMNS)[number]
>

const isOnPage = (id: SQLiteColumn, given: Given) =>
  isWithin(id, {
    above: given.has("above") ? place.above : undefined,
    from: given.has("from") ? place.from : undefined,
    below: given.has("below") ? place.below : undefined,
  })

/** Newest first, or oldest first if the page starts above an id. */
const pageOrder = (id: SQLiteColumn, given: Given) => (given.has("above") ? asc(id) : desc(id))

const walkEmails = (
  { db, scope, given }: Listing,
  where: SQL | undefined,
  limit: number | Placeholder,
) =>
  db
    .select(SHOWN)
    .from(emails)
    .where(and(eq(emails.teamId, scope.team), where, isOnPage(emails.id, given)))
    .orderBy(pageOrder(emails.id, given))
    .limit(limit)

const walkIndex = (
  { db, scope, given }: Listing,
  index: typeof emailRecipients | typeof emailTags,
  where: SQL,
  limit: number | Placeholder,
) =>
  db
    .select(SHOWN)
    .from(index)
    .innerJoin(emails, and(eq(emails.teamId, index.teamId), eq(emails.id, index.emailId)))
    .where(and(eq(index.teamId, scope.team), where, isOnPage(index.emailId, given)))
    .orderBy(pageOrder(index.emailId, given))
    .limit(limit) as unknown as ReturnType<typeof walkEmails>

const matches = ({ db, scope }: Listing, scanned: Scanned, rest: readonly string[]) => {
  const conditions: Record<string, SQL> = {
    status: eq(scanned.status, place.status),
    domainId: eq(scanned.domainId, place.domainId),
    campaignId: eq(scanned.campaignId, place.campaignId),
    tag: exists(
      db
        .select({ found: sql`1` })
        .from(emailTags)
        .where(
          and(
            eq(emailTags.teamId, scope.team),
            eq(emailTags.tag, place.tag),
            eq(emailTags.emailId, scanned.id),
          ),
        ),
    ),
  }
  return and(...rest.map((name) => conditions[name]))
}
