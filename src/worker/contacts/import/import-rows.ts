import { type SQL, sql } from "drizzle-orm"
import { columnsOf } from "../../platform/db/columns.ts"
import type { Statement } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { choicesOf, strictestOf } from "../consents/choices.ts"
import type { ConsentActor } from "../consents/consents.ts"
import { hasRefused } from "../consents/refusals.ts"
import type { nameKeys } from "../search.ts"
import { MAX_PROPERTIES, MAX_PROPERTIES_BYTES } from "../shapes.ts"
import { contactBooks, contacts } from "../table.ts"
import type { Columns } from "./read-columns.ts"
import type { ImportedContact } from "./read-import.ts"

/** Where the rows go, and what they say. */
export interface Target {
  teamId: string
  bookId: string
  columns: Columns
  /** The file has a column of consent, or says the same of everybody. */
  saysConsent: boolean
  /** The book keeps that deleted contacts had unsubscribed. */
  hasRefusals: boolean
  /** A no in any book of the team keeps a new contact from being subscribed. */
  asksAllBooks: boolean
  updateExisting: boolean
  actor: ConsentActor
  audit: Statement
}

export type ImportedRow = ImportedContact &
  ReturnType<typeof nameKeys> & { id: string; addressHash: string }
export const row = jsonFields<ImportedRow>()
export const json = jsonFields<ImportedRow>("x", "->")

/** What the statements know of a row: the contact that has its address, and what it would become. */
export const { contactId, wasSubscribed, subscribed, properties, isRefused, topics } = columnsOf<
  "contactId" | "wasSubscribed" | "subscribed" | "properties" | "isRefused" | "topics"
>("x")

/** The rows as table `x`. The limits keep SQLite from computing a column anew at each use. */
export function rowsBeside(
  { teamId, bookId, columns, updateExisting, hasRefusals, asksAllBooks }: Target,
  chunk: string,
  { withTopics = false } = {},
): SQL {
  const choices = withTopics ? topicsOf(teamId, columns) : sql`null`
  const refused = hasRefusals ? hasRefused(teamId, bookId, row.addressHash) : sql`false`
  const left = asksAllBooks ? hasLeftBook(teamId) : sql`false`
  const joins = sql`(${row.subscribed} and not ${refused} and not ${left})`
  const isMerged = updateExisting && columns.properties.length > 0
  const merged = isMerged
    ? sql`iif(${contacts.id} is null, ${json.properties}, ${mergedOf(columns, json.properties)})`
    : json.properties
  const isOver = isMerged
    ? sql`${contactId} is not null and (octet_length(${properties}) > ${MAX_PROPERTIES_BYTES}
        or (select count(*) from json_each(${properties})) > ${MAX_PROPERTIES})`
    : sql`false`
  return sql`(
    select x.*, ${isOver} as isRefused from (
      select x.value, ${contacts.id} as contactId, ${contacts.subscribed} as wasSubscribed,
        iif(${contacts.id} is null, ${joins}, not ${row.saysNo}) as subscribed,
        ${merged} as properties, ${choices} as topics
      from ${jsonRows(chunk, "x", { parsedOnce: true })}
      left join ${contacts} on ${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId}
        and ${contacts.email} = ${row.email}
      limit -1
    ) x limit -1
  ) x`
}

const hasLeftBook = (teamId: string) => sql`exists (
  select 1 from contact_books cross join contacts
    on ${contacts.teamId} = ${contactBooks.teamId} and ${contacts.bookId} = ${contactBooks.id}
      and ${contacts.email} = ${row.email}
  where ${contactBooks.teamId} = ${teamId} and not ${contacts.subscribed})`

/** Where the address has chosen otherwise, here or in another book, the no stands. */
function topicsOf(teamId: string, { topics }: Columns): SQL {
  const elsewhere = sql`iif(${contacts.id} is null, ${choicesOf(teamId, row.email)}, ${contacts.topics})`
  return topics.length > 0 ? strictestOf(elsewhere, json.topics) : elsewhere
}

/** The contact's properties, with those of the file in place of its own. What stays keeps its place. */
function mergedOf(columns: Columns, fresh: SQL): SQL {
  const emptied = Object.fromEntries(columns.properties.map(({ name }) => [name, null]))
  return sql`json_patch(${contacts.properties}, json_patch(${JSON.stringify(emptied)}, ${fresh}))`
}
