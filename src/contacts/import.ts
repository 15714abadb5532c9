import { type Column, type SQL, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import { assigned, excluded, insertInto, keyOf } from "../db/columns.ts"
import { jsonMembersOf, membersOf } from "../db/json-rows.ts"
import type { Ctx } from "../env.ts"
import type { InputOf, OutputOf } from "../http/endpoint.ts"
import { newId } from "../lib/id.ts"
import { jsonChunks } from "../lib/json.ts"
import { foundBook, selectBook } from "./books.ts"
import { type importContacts as contract, IMPORT_MAX_ERRORS } from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { type Columns, type ImportedContact, readContacts } from "./import-rows.ts"
import { nameKeys } from "./search.ts"
import { MAX_PROPERTIES, MAX_PROPERTIES_BYTES, UNSUBSCRIBE_REASONS } from "./shapes.ts"
import { contactBooks, contacts } from "./table.ts"

const TOO_MANY_PROPERTIES = `The contact would have over ${MAX_PROPERTIES} properties, or over 16 KiB`

/** One transaction for each chunk of rows. A caller may repeat an import that failed half-way. */
export async function importContacts(
  ctx: Ctx,
  bookId: string,
  { csv, updateExisting, dryRun }: InputOf<typeof contract>["json"],
): Promise<OutputOf<typeof contract>> {
  const { columns, imports, duplicates, errors } = await readContacts(csv)
  const { team } = await ctx.caller()
  const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
  foundBook(book)
  const target = { teamId: team.id, bookId, columns, updateExisting }
  const rows = imports.map(
    (contact): ImportedRow => ({
      ...contact,
      ...nameKeys(contact),
      id: newId("contact", ctx.now()),
    }),
  )
  let imported = 0
  let known = 0
  for (const chunk of jsonChunks(rows)) {
    const { total, existing, refused } = dryRun
      ? await countChunk(ctx, target, chunk)
      : await importChunk(ctx, target, chunk)
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

interface Target {
  teamId: string
  bookId: string
  columns: Columns
  updateExisting: boolean
}

type ImportedRow = ImportedContact & ReturnType<typeof nameKeys> & { id: string }
const row = membersOf<ImportedRow>()
const json = jsonMembersOf<ImportedRow>()

interface Counted {
  counts: { total: number; existing: number }[]
  refused: { line: number; email: string }[]
}

const resultOf = ({ counts, refused }: Counted) => ({
  ...(counts[0] as { total: number; existing: number }),
  refused,
})

const countChunk = async (ctx: Ctx, target: Target, chunk: string) =>
  resultOf(await namedBatch(ctx, countStatements(ctx, target, chunk)))

/** The rows beside the contacts that they change, and which rows are refused. */
function joined({ teamId, bookId, columns, updateExisting }: Target, chunk: string) {
  const merged = sql`json_each(${chunk}) x left join ${contacts} on ${contacts.teamId} = ${teamId}
    and ${contacts.bookId} = ${bookId} and ${contacts.email} = ${row.email}`
  // False for a new contact. A condition on the contact alone makes SQLite read all contacts first.
  const isRefused = updateExisting
    ? sql`not ${fits(columns, sql`${contacts.properties}`, json.properties)}`
    : sql`false`
  return { merged, isRefused }
}

function countStatements(ctx: Ctx, target: Target, chunk: string) {
  const { merged, isRefused } = joined(target, chunk)
  return {
    counts: ctx.db.all<{ total: number; existing: number }>(
      sql`select count(*) as total, count(${contacts.id}) as existing from ${merged} where not ${isRefused}`,
    ),
    refused: ctx.db.all<{ line: number; email: string }>(
      sql`select ${row.line} as line, ${row.email} as email from ${merged} where ${isRefused}`,
    ),
  }
}

async function importChunk(ctx: Ctx, target: Target, chunk: string) {
  const { teamId, bookId, updateExisting } = target
  const { merged, isRefused } = joined(target, chunk)
  const imported = await namedBatch(ctx, {
    ...countStatements(ctx, target, chunk),
    books: moveCounts(
      ctx,
      teamId,
      sql`select ${bookId} as book_id, sum(${contacts.id} is null) as contacts,
        sum(iif(${contacts.id} is null, ${row.subscribed},
          -(${updateExisting} and ${contacts.subscribed} and not ${row.subscribed}))) as subscribed
        from ${merged} where not ${isRefused}`,
    ),
    contacts: ctx.db.run(sql`
      ${insertInto(
        contacts,
        {
          teamId: contactBooks.teamId,
          bookId: contactBooks.id,
          id: row.id,
          email: row.email,
          firstName: row.firstName,
          lastName: row.lastName,
          firstKey: row.firstKey,
          lastKey: row.lastKey,
          subscribed: row.subscribed,
          properties: json.properties,
          unsubscribeReason: sql`iif(${row.subscribed}, null, ${UNSUBSCRIBE_REASONS.import})`,
          unsubscribedAt: sql`iif(${row.subscribed}, null, ${ctx.now()})`,
          createdAt: ctx.now(),
          updatedAt: ctx.now(),
        },
        sql`from ${contactBooks} cross join json_each(${chunk}) x
          where ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${bookId}`,
      )}
      on conflict ${keyOf(contacts.teamId, contacts.bookId, contacts.email)}
      do ${updateExisting ? updateOf(target.columns) : sql`nothing`}`),
  })
  return resultOf(imported)
}

/** Changes only the columns that the file has. A contact may lose consent, but never gains it. */
function updateOf(columns: Columns) {
  const { known, properties } = columns
  const old = contacts
  const newProperties = [columns, sql`${old.properties}`, excluded(old.properties)] as const
  const leaves = sql`${old.subscribed} and not ${excluded(old.subscribed)}`
  const ifLeaving = (column: Column) => sql`iif(${leaves}, ${excluded(column)}, ${column})`
  const set = assigned(contacts, {
    updatedAt: sql`max(${excluded(old.updatedAt)}, ${old.updatedAt} + 1)`,
    ...(known.firstName !== undefined && {
      firstName: excluded(old.firstName),
      firstKey: excluded(old.firstKey),
    }),
    ...(known.lastName !== undefined && {
      lastName: excluded(old.lastName),
      lastKey: excluded(old.lastKey),
    }),
    ...(properties.length > 0 && { properties: mergedOf(...newProperties) }),
    ...(known.subscribed !== undefined && {
      subscribed: sql`min(${old.subscribed}, ${excluded(old.subscribed)})`,
      unsubscribeReason: ifLeaving(old.unsubscribeReason),
      unsubscribedAt: ifLeaving(old.unsubscribedAt),
    }),
  })
  return sql`update set ${set} where ${fits(...newProperties)}`
}

/** The properties of a contact after the import: the file's columns replace those it has. */
function mergedOf({ properties }: Columns, old: SQL, fresh: SQL): SQL {
  const emptied = Object.fromEntries(properties.map(({ name }) => [name, null]))
  return sql`json_patch(json_patch(${old}, ${JSON.stringify(emptied)}), ${fresh})`
}

/** Whether the contact may have these properties. A new contact has no `old` ones. */
function fits(columns: Columns, old: SQL, fresh: SQL): SQL {
  if (columns.properties.length === 0) return sql`true`
  const merged = mergedOf(columns, old, fresh)
  return sql`((select count(*) from json_each(${merged})) <= ${MAX_PROPERTIES}
    and ifnull(octet_length(${merged}), 0) <= ${MAX_PROPERTIES_BYTES})`
}
