import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf, OutputOf } from "../http/endpoint.ts"
import { ApiError, invalid } from "../http/errors.ts"
import { newId } from "../lib/id.ts"
import { jsonChunks } from "../lib/json.ts"
import { foundBook, selectBook } from "./books.ts"
import {
  type importContacts as contract,
  IMPORT_MAX_CSV_BYTES,
  IMPORT_MAX_ERRORS,
  IMPORT_MAX_ROWS,
} from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { readCsv } from "./csv.ts"
import {
  type Columns,
  type ImportError,
  type ImportedContact,
  readHeader,
  readRow,
} from "./import-rows.ts"
import { nameKeys } from "./names.ts"
import { MAX_PROPERTIES, UNSUBSCRIBE_REASONS } from "./shapes.ts"

const TOO_MANY_PROPERTIES = `The contact would have over ${MAX_PROPERTIES} properties`

/** A transaction for each chunk of rows: an import that broke off may be repeated as it is. */
export async function importContacts(
  ctx: Ctx,
  bookId: string,
  { csv, updateExisting }: InputOf<typeof contract>["json"],
): Promise<OutputOf<typeof contract>> {
  const { columns, contacts, duplicates, errors } = await readContacts(csv)
  const { team } = await ctx.caller()
  const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
  foundBook(book)
  const target = { teamId: team.id, bookId, columns, updateExisting }
  const rows = contacts.map((contact) => ({
    ...contact,
    ...nameKeys(contact),
    id: newId("contact", ctx.now()),
  }))
  let imported = 0
  let known = 0
  for (const chunk of jsonChunks(rows)) {
    const { total, existing, refused } = await importChunk(ctx, target, chunk)
    imported += total - existing
    known += existing
    errors.push(...refused.map((row) => ({ ...row, message: TOO_MANY_PROPERTIES })))
  }
  return {
    imported,
    updated: updateExisting ? known : 0,
    skipped: updateExisting ? 0 : known,
    duplicates,
    errors: errors.toSorted((a, b) => a.line - b.line).slice(0, IMPORT_MAX_ERRORS),
  }
}

/** The contacts of the file, the last row of each address. */
async function readContacts(csv: string) {
  if (Buffer.byteLength(csv) > IMPORT_MAX_CSV_BYTES) {
    throw new ApiError(
      "payload_too_large",
      `The CSV may have at most ${IMPORT_MAX_CSV_BYTES} bytes.`,
    )
  }
  // What was not UTF-8 on the way here has been replaced; UTF-16 is full of zeros
  const isUtf8 = csv.isWellFormed() && !csv.includes("\u0000") && !csv.includes("\uFFFD")
  if (!isUtf8) throw invalid(["csv"], "Must be UTF-8")
  const [header, ...rows] = await readCsv(csv, IMPORT_MAX_ROWS)
  const columns = readHeader(header)
  const byEmail = new Map<string, ImportedContact>()
  const errors: ImportError[] = []
  for (const row of rows) {
    const read = readRow(columns, row)
    if (!read.ok) errors.push(read.error)
    else {
      byEmail.delete(read.contact.email)
      byEmail.set(read.contact.email, read.contact)
    }
  }
  const duplicates = rows.length - errors.length - byEmail.size
  return { columns, contacts: [...byEmail.values()], duplicates, errors }
}

interface Target {
  teamId: string
  bookId: string
  columns: Columns
  updateExisting: boolean
}

async function importChunk(ctx: Ctx, target: Target, chunk: string) {
  const { teamId, bookId, columns, updateExisting } = target
  const met = sql`(
      select value ->> 'line' as line, value ->> 'email' as email,
        value ->> 'subscribed' as subscribed, value -> 'properties' as properties
      from json_each(${chunk})
    ) x left join contacts c on c.team_id = ${teamId} and c.book_id = ${bookId} and c.email = x.email`
  // Of a new contact it is false: a condition on `c` itself would let SQLite begin with all contacts
  const isRefused = updateExisting
    ? sql`not ${fits(mergedOf(columns, sql`c.properties`, sql`x.properties`))}`
    : sql`false`
  const [[counts], refused] = await ctx.batch([
    ctx.db.all<{ total: number; existing: number }>(
      sql`select count(*) as total, count(c.id) as existing from ${met} where not ${isRefused}`,
    ),
    ctx.db.all<{ line: number; email: string }>(
      sql`select x.line, x.email from ${met} where ${isRefused}`,
    ),
    moveCounts(
      ctx,
      teamId,
      sql`select ${bookId} as book_id, sum(c.id is null) as contacts,
        sum(iif(c.id is null, x.subscribed, -(${updateExisting} and c.subscribed and not x.subscribed)))
          as subscribed
        from ${met} where not ${isRefused}`,
    ),
    ctx.db.run(sql`
      insert into contacts (team_id, book_id, id, email, first_name, last_name, first_key, last_key,
        properties, subscribed, unsubscribe_reason, unsubscribed_at, created_at, updated_at)
      select b.team_id, b.id, x.value ->> 'id', x.value ->> 'email', x.value ->> 'firstName',
        x.value ->> 'lastName', x.value ->> 'firstKey', x.value ->> 'lastKey',
        x.value -> 'properties', x.value ->> 'subscribed',
        iif(x.value ->> 'subscribed', null, ${UNSUBSCRIBE_REASONS.import}),
        iif(x.value ->> 'subscribed', null, ${ctx.now()}), ${ctx.now()}, ${ctx.now()}
      from contact_books b cross join json_each(${chunk}) x
      where b.team_id = ${teamId} and b.id = ${bookId}
      on conflict (team_id, book_id, email) do ${updateExisting ? updateOf(target.columns) : sql`nothing`}`),
  ])
  return { ...(counts as { total: number; existing: number }), refused }
}

/** Only what the file has a column for changes, and consent only ever goes. */
function updateOf(columns: Columns) {
  const { known, properties } = columns
  const merged = mergedOf(columns, sql`contacts.properties`, sql`excluded.properties`)
  const leaves = sql`contacts.subscribed and not excluded.subscribed`
  const changes = [
    sql`updated_at = max(excluded.updated_at, contacts.updated_at + 1)`,
    known.firstName !== undefined &&
      sql`first_name = excluded.first_name, first_key = excluded.first_key`,
    known.lastName !== undefined &&
      sql`last_name = excluded.last_name, last_key = excluded.last_key`,
    properties.length > 0 && sql`properties = ${merged}`,
    known.subscribed !== undefined &&
      sql`subscribed = min(contacts.subscribed, excluded.subscribed),
        unsubscribe_reason = iif(${leaves}, excluded.unsubscribe_reason, contacts.unsubscribe_reason),
        unsubscribed_at = iif(${leaves}, excluded.unsubscribed_at, contacts.unsubscribed_at)`,
  ].filter((change) => change !== false)
  return sql`update set ${sql.join(changes, sql`, `)} where ${fits(merged)}`
}

/** A file's columns take the place of what a contact has under their names. */
function mergedOf({ properties }: Columns, old: SQL, fresh: SQL): SQL {
  const emptied = Object.fromEntries(properties.map(({ name }) => [name, null]))
  return sql`json_patch(json_patch(${old}, ${JSON.stringify(emptied)}), ${fresh})`
}

const fits = (properties: SQL) =>
  sql`((select count(*) from json_each(${properties})) <= ${MAX_PROPERTIES})`
