import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gte,
  lt,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { unionAll } from "drizzle-orm/sqlite-core"
import type { ScopeText } from "../../platform/context.ts"
import type { Db } from "../../platform/db/client.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { limitedPerOwner } from "../../platform/db/per-owner.ts"
import { placeholders } from "../../platform/db/prepared.ts"
import { type BOUNDS, isWithin } from "../../platform/http/list.ts"
import { emailRecipients, emails, emailTags } from "../table.ts"
import { SHOWN_COLUMNS } from "../view.ts"
import { subjectWords } from "../word-index/subject-words.ts"
import { RARE_STATUSES, type readFilters } from "./list-filters.ts"

type Filter = keyof NonNullable<ReturnType<typeof readFilters>> | "ids"

export interface Listing {
  db: Db
  scope: ScopeText
  /** The filters and bounds of a query. */
  given: ReadonlySet<string>
}

/** `size` is one more than the limit. `scan` is how many emails are read to find them. */
export const placeholder = placeholders<
  Filter | (typeof BOUNDS)[number] | "limit" | "size" | "scan"
>()

const COLUMNS = getTableColumns(emails)
const SHOWN = Object.fromEntries(SHOWN_COLUMNS.map((name) => [name, COLUMNS[name]])) as Pick<
  typeof COLUMNS,
  (typeof SHOWN_COLUMNS)[number]
>

const WALKED = {
  ...SHOWN,
  keyId: emails.keyId,
  eventTypes: emails.eventTypes,
  words: subjectWords.as("words"),
}

/** The words take time to find, so only a filter of the subject has them. */
const namesOf = ({ given }: Listing) =>
  (Object.keys(WALKED) as (keyof typeof WALKED)[]).filter(
    (name) => name !== "words" || given.has("subject"),
  )

const columnsOf = (listing: Listing) =>
  Object.fromEntries(namesOf(listing).map((name) => [name, WALKED[name]])) as typeof WALKED

type Limit = number | Placeholder | SQL

/** `limit +?`, as in `docs/sql.md`. Drizzle's types take no SQL here. */
export const fixedPlan = (limit: Limit) => sql`+${limit}` as unknown as number

export type Walk = (listing: Listing, limit: Limit) => ReturnType<typeof walkEmails>

/** Reads the index with the fewest matches, newest first. `used` are the filters that it answers. */
export function chooseWalk(given: ReadonlySet<string>): { walk: Walk; used: Filter[] } {
  if (given.has("ids")) return { walk: own(isOneOf(emails.id, placeholder.ids)), used: ["ids"] }
  if (given.has("to")) return { walk: through("to"), used: ["to"] }
  if (given.has("exactTag")) {
    return { walk: through("exactTag"), used: ["exactTag"] }
  }
  if (given.has("campaignId")) {
    const isOfCampaign = sql`unlikely(${eq(emails.campaignId, placeholder.campaignId)})`
    return { walk: own(isOfCampaign), used: ["campaignId"] }
  }
  if (given.has("toPart")) {
    const others = new Set([...given].filter((name) => name !== "toPart"))
    return { walk: startingWith(chooseWalk(others).walk), used: [] }
  }
  if (given.has("rareStatus"))
    return { walk: own(isRare(emails.status, placeholder.rareStatus)), used: ["rareStatus"] }
  if (given.has("rareStatuses")) return { walk: walkStatuses, used: ["rareStatuses"] }
  if (given.has("tagKey")) return { walk: through("tagKey"), used: ["tagKey"] }
  return { walk: own(), used: [] }
}

const own =
  (where?: SQL): Walk =>
  (listing, limit) =>
    walkEmails(listing, where, limit)

/** The list must be spelled as in the index. The hint keeps SQLite from the primary key. */
const isRare = (status: SQLiteColumn, wanted: SQLWrapper) =>
  sql`unlikely(${status} = ${wanted}) and ${status} in (${RARE})`
const RARE = sql.raw(RARE_STATUSES.map((status) => `'${status}'`).join(", "))

const isOnPage = (id: SQLiteColumn, given: ReadonlySet<string>) =>
  isWithin(id, {
    above: given.has("above") ? placeholder.above : undefined,
    from: given.has("from") ? placeholder.from : undefined,
    below: given.has("below") ? placeholder.below : undefined,
  })

/** Newest first, or oldest first if the page starts above an id. */
const pageOrder = (id: SQLiteColumn, given: ReadonlySet<string>) =>
  given.has("above") ? asc(id) : desc(id)

const walkEmails = (listing: Listing, where: SQL | undefined, limit: Limit) =>
  listing.db
    .select(columnsOf(listing))
    .from(emails)
    .where(and(eq(emails.teamId, listing.scope.team), where, isOnPage(emails.id, listing.given)))
    .orderBy(pageOrder(emails.id, listing.given))
    .limit(fixedPlan(limit))

const INDEXES = {
  to: [emailRecipients, emailRecipients.address],
  exactTag: [emailTags, emailTags.tag],
  tagKey: [emailTags, emailTags.tag],
} as const

const through =
  (filter: keyof typeof INDEXES): Walk =>
  (listing, limit) => {
    const { db, scope, given } = listing
    const [index, value] = INDEXES[filter]
    return db
      .select(columnsOf(listing))
      .from(index)
      .innerJoin(emails, and(eq(emails.teamId, index.teamId), eq(emails.id, index.emailId)))
      .where(
        and(
          eq(index.teamId, scope.team),
          eq(value, placeholder[filter]),
          isOnPage(index.emailId, given),
        ),
      )
      .orderBy(pageOrder(index.emailId, given))
      .limit(fixedPlan(limit)) as unknown as ReturnType<typeof walkEmails>
  }

/** Merges the newest emails of each status. */
const walkStatuses: Walk = (listing, limit) => {
  const { scope, given } = listing
  const newest = sql`select ${emails.id} as value from emails
    where ${emails.teamId} = ${scope.team} and ${isRare(emails.status, sql`status.value`)}
      and ${isOnPage(emails.id, given) ?? sql`true`}
    order by ${pageOrder(emails.id, given)}`
  return walkEmails(
    listing,
    sql`${emails.id} in (select found.value from json_each(${placeholder.rareStatuses}) status
      cross join ${limitedPerOwner(newest, limit as SQL)} found)`,
    limit,
  )
}

/** How many recipients a page reads that are found by a part of their address. */
const FEW = 500

/**
 * The index has the recipients by address, not by time. If few have an address with this start,
 * the page reads them all; else it reads the emails of another walk.
 */
const startingWith =
  (other: Walk): Walk =>
  (listing, limit) => {
    const { db, scope } = listing
    const found = (limit: number) =>
      db
        .select({ id: emailRecipients.emailId })
        .from(emailRecipients)
        .where(
          and(
            eq(emailRecipients.teamId, scope.team),
            gte(emailRecipients.address, placeholder.toPart),
            lt(emailRecipients.address, sql`${placeholder.toPart} || char(0x10ffff)`),
          ),
        )
        .limit(fixedPlan(limit))
    const areFew = sql`(select count(*) from ${found(FEW + 1)}) <= ${FEW}`
    const few = own(sql`${emails.id} in ${found(FEW)}`)
    return unionAll(
      db.select().from(few(listing, sql`iif(${areFew}, ${limit}, 0)`).as("few")),
      db.select().from(other(listing, sql`iif(${areFew}, 0, ${limit})`).as("many")),
    ) as unknown as ReturnType<typeof walkEmails>
  }
