import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { pick } from "../../../lib/pick.ts"
import { remember } from "../../../lib/remember.ts"
import type { ScopeText } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { prepared } from "../../platform/db/prepared.ts"
import { selectEndOfScan } from "../../platform/http/scan.ts"
import { EVENT_BITS } from "../../stats/counters.ts"
import { SHOWN_COLUMNS } from "../view.ts"
import { type ReadEmail, upToCharacters } from "../word-index/read-emails.ts"
import { chooseWalk, fixedPlan, type Listing, placeholder, type Walk } from "./list-walks.ts"

/** The filters and bounds that are given, as `statementsFor` takes them. */
export const namesOf = (given: Record<string, unknown>) =>
  Object.keys(given)
    .filter((name) => given[name] !== undefined)
    .join(" ")

/** The statements for these filters and bounds, whatever their values are. */
export const statementsFor = remember((names: string) => {
  const given = new Set(names.split(" "))
  const { walk, used } = chooseWalk(given)
  const rest = [...given].filter((name) => name in CONDITIONS && !used.some((one) => one === name))
  const isScan = rest.length > 0
  const select = (listing: Listing) => {
    const scanned = walk(listing, isScan ? placeholder.scan : placeholder.size).as("scanned")
    return listing.db
      .select(pick(scanned, SHOWN_COLUMNS))
      .from(scanned)
      .where(and(...rest.map((name) => CONDITIONS[name]?.(scanned))))
      .limit(fixedPlan(placeholder.size))
  }
  return {
    selectPage: prepared((db, _, scope: ScopeText) => select({ db, scope, given })),
    /** What a search by words compares, newest first. */
    selectWords: prepared((db, _, scope: ScopeText) =>
      db.all<ReadEmail>(
        upToCharacters(
          sql`select id, recipients, subject from (${select({ db, scope, given })})`,
          sql`id desc`,
          sql`${placeholder.size}`,
        ),
      ),
    ),
    endOfScan: isScan
      ? prepared((db, _, scope: ScopeText) => {
          const listing = { db, scope, given }
          const scanned = walk(listing, onePast(placeholder.scan))
          return selectEndOfScan(db, scanned, select(listing), placeholder.limit, placeholder.scan)
        })
      : undefined,
    /** Counts in one pass. `read` is larger than the scan if there are more emails. */
    count: prepared((db, _, scope: ScopeText) => {
      const scanned = walk({ db, scope, given }, onePast(placeholder.scan)).as("scanned")
      const matches = and(sql`true`, ...rest.map((name) => CONDITIONS[name]?.(scanned)))
      return db
        .select({
          read: sql<number>`count(*)`.as("read"),
          found: sql<number>`coalesce(sum(${matches}), 0)`.as("found"),
          last: sql<string | null>`min(${scanned.id})`.as("last"),
        })
        .from(scanned)
    }),
    isScan,
  }
}, 200)

const onePast = (scan: SQLWrapper) => sql`${scan} + 1`

type Scanned = ReturnType<ReturnType<Walk>["as"]>

const endsWith = (text: SQL, end: SQLWrapper) => sql`substr(${text}, -length(${end})) = ${end}`

const hasAddress = (scanned: Scanned, condition: SQL) =>
  sql`exists (select 1 from json_each(${scanned.recipients}) r where ${condition})`
const ADDRESS = sql.raw("r.value ->> 'address'")

const senderOf = (scanned: Scanned) => sql`${scanned.sender} ->> 'address'`

const hasTags = (scanned: Scanned) => sql`not exists (
  select 1 from json_each(${placeholder.tags}) t where not exists (
    select 1 from json_each(${scanned.tags}) own
    where own.key = t.value ->> 0 and own.value = coalesce(t.value ->> 1, own.value)))`

const hasEvent = (scanned: Scanned, type: "opened" | "clicked") =>
  sql`(${scanned.eventTypes} & ${sql.raw(String(EVENT_BITS[type]))} <> 0) = ${placeholder[type]}`

/** The conditions of filters that the walk does not answer. */
const CONDITIONS: Record<string, (scanned: Scanned) => SQL> = {
  toPart: (scanned) =>
    hasAddress(
      scanned,
      sql`substr(${ADDRESS}, 1, length(${placeholder.toPart})) = ${placeholder.toPart}`,
    ),
  toDomain: (scanned) => hasAddress(scanned, endsWith(ADDRESS, placeholder.toDomain)),
  sender: (scanned) => eq(senderOf(scanned), placeholder.sender),
  senderDomain: (scanned) => endsWith(senderOf(scanned), placeholder.senderDomain),
  exactTag: hasTags,
  tagKey: hasTags,
  moreTags: hasTags,
  statuses: (scanned) => isOneOf(scanned.status, placeholder.statuses),
  rareStatus: (scanned) => eq(scanned.status, placeholder.rareStatus),
  rareStatuses: (scanned) => isOneOf(scanned.status, placeholder.rareStatuses),
  domainId: (scanned) => eq(scanned.domainId, placeholder.domainId),
  campaignId: (scanned) => eq(scanned.campaignId, placeholder.campaignId),
  templateId: (scanned) => eq(scanned.templateId, placeholder.templateId),
  keyId: (scanned) => eq(scanned.keyId, placeholder.keyId),
  subject: (scanned) => sql`not exists (select 1 from json_each(${placeholder.subject}) word
    where instr(${scanned.words}, ' ' || word.value) = 0)`,
  opened: (scanned) => hasEvent(scanned, "opened"),
  clicked: (scanned) => hasEvent(scanned, "clicked"),
}
