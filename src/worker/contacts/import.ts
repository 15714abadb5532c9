import { type Column, type SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { jsonChunks } from "../../lib/json.ts"
import type { Ctx } from "../platform/context.ts"
import { assignments, columnsOf, excluded, insertInto } from "../platform/db/columns.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import type { InputOf, OutputOf } from "../platform/http/endpoint.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import { choicesOf } from "./choices.ts"
import { type ConsentActor, consentActor, firstEntries, withEntries } from "./consents.ts"
import { type importContacts as contract, IMPORT_MAX_ERRORS } from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { type Columns, type ImportedContact, readContacts } from "./read-import.ts"
import { nameKeys } from "./search.ts"
import { MAX_PROPERTIES, MAX_PROPERTIES_BYTES, UNSUBSCRIBE_REASONS } from "./shapes.ts"
import { contactBooks, contacts } from "./table.ts"

const CONTRADICTION = "The rows of this address say both yes and no to mail"
const STORED_AS_NO = `${CONTRADICTION}: it was stored as not subscribed`
const STORED_AS_NO_IF_NEW = `${CONTRADICTION}: a new contact is stored as not subscribed, an existing one stays as it is`
const TOO_MANY_PROPERTIES = `The contact would have over ${MAX_PROPERTIES} properties, or over 16 KiB`

/** One transaction for each chunk of rows. A caller may repeat an import that failed half-way. */
export async function importContacts(
  ctx: Ctx,
  bookId: string,
  { csv, updateExisting, dryRun }: InputOf<typeof contract>["json"],
): Promise<OutputOf<typeof contract>> {
  const { columns, imports, duplicates, contradictory, errors } = await readContacts(csv)
  const { team } = await ctx.caller()
  const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
  bookOrNotFound(book)
  const { actorId } = await consentActor(ctx)
  const actor = { by: "import", actorId } as const
  // The entry is in the batch of each chunk, and is stored once.
  const audit = await auditEntry(ctx, "contactBooks.import", { id: bookId })
  const target = { teamId: team.id, bookId, columns, updateExisting, actor, audit }
  const rows = imports.map(
    (contact): ImportedRow => ({
      ...contact,
      ...nameKeys(contact),
      id: newId("contact", ctx.now()),
    }),
  )
  let imported = 0
  let known = 0
  let subscribed = 0
  const refusals: { line: number; email: string }[] = []
  for (const chunk of jsonChunks(rows)) {
    const { total, existing, joining, refused } = dryRun
      ? await countChunk(ctx, target, chunk)
      : await importChunk(ctx, target, chunk)
    imported += total - existing
    known += existing
    subscribed += joining
    refusals.push(...JSON.parse(refused))
  }
  const refused = new Set(refusals.map(({ line }) => line))
  const told = contradictory.filter(({ line }) => !refused.has(line))
  errors.push(
    ...withMessage(refusals, TOO_MANY_PROPERTIES),
    ...withMessage(told, updateExisting ? STORED_AS_NO : STORED_AS_NO_IF_NEW),
  )
  return {
    imported,
    updated: updateExisting ? known : 0,
    skipped: updateExisting ? 0 : known,
    duplicates,
    errors: errors.toSorted((a, b) => a.line - b.line).slice(0, IMPORT_MAX_ERRORS),
    ...(dryRun && { subscribed }),
  }
}

const withMessage = (rows: readonly { line: number; email: string }[], message: string) =>
  rows.map((row) => ({ ...row, message }))

interface Target {
  teamId: string
  bookId: string
  columns: Columns
  updateExisting: boolean
  actor: ConsentActor
  audit: Statement
}

type ImportedRow = ImportedContact & ReturnType<typeof nameKeys> & { id: string }
const row = jsonFields<ImportedRow>()
const json = jsonFields<ImportedRow>("x", "->")

/** What the statements know of a row: the contact that has its address, and what it would become. */
const { contactId, wasSubscribed, properties, isRefused, topics } = columnsOf<
  "contactId" | "wasSubscribed" | "properties" | "isRefused" | "topics"
>("x")

/** The rows as table `x`. The limits keep SQLite from computing a column anew at each use. */
function rowsBeside(
  { teamId, bookId, columns, updateExisting }: Target,
  chunk: string,
  { withTopics = false } = {},
): SQL {
  const choices = withTopics
    ? sql`iif(${contacts.id} is null, ${choicesOf(teamId, row.email)}, '{}')`
    : sql`null`
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
        ${merged} as properties, ${choices} as topics
      from ${jsonRows(chunk, "x", { parsedOnce: true })}
      left join ${contacts} on ${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId}
        and ${contacts.email} = ${row.email}
      limit -1
    ) x limit -1
  ) x`
}

/** The contact's properties, with those of the file in place of its own. */
function mergedOf(columns: Columns, fresh: SQL): SQL {
  const emptied = Object.fromEntries(columns.properties.map(({ name }) => [name, null]))
  return sql`json_patch(json_patch(${contacts.properties}, ${JSON.stringify(emptied)}), ${fresh})`
}

interface Counted {
  total: number
  existing: number
  /** New ones that are subscribed. */
  joining: number
  /** A list as JSON: lines and addresses. */
  refused: string
}

const selectCounts = (ctx: Ctx, target: Target, chunk: string) =>
  ctx.db.all<Counted>(sql`
    select count(*) filter (where not ${isRefused}) as total,
      count(${contactId}) filter (where not ${isRefused}) as existing,
      count(*) filter (where not ${isRefused} and ${contactId} is null and ${row.subscribed})
        as joining,
      json_group_array(json_object('line', ${row.line}, 'email', ${row.email}))
        filter (where ${isRefused}) as refused
    from ${rowsBeside(target, chunk)}`)

async function countChunk(ctx: Ctx, target: Target, chunk: string): Promise<Counted> {
  const [[counted]] = await ctx.batch([selectCounts(ctx, target, chunk)])
  return counted as Counted
}

async function importChunk(ctx: Ctx, target: Target, chunk: string): Promise<Counted> {
  const { teamId, bookId, updateExisting, actor, audit } = target
  const { counts, found } = await commit(ctx, {
    counts: selectCounts(ctx, target, chunk),
    found: selectBook(ctx, bookId),
    books: moveCounts(
      ctx,
      teamId,
      sql`select ${bookId} as book_id, sum(${contactId} is null) as contacts,
        sum(iif(${contactId} is null, ${row.subscribed},
          -(${updateExisting} and ${wasSubscribed} and not ${row.subscribed}))) as subscribed
        from ${rowsBeside(target, chunk)} where not ${isRefused}`,
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
          properties,
          unsubscribeReason: sql`iif(${row.subscribed}, null, ${UNSUBSCRIBE_REASONS.import})`,
          unsubscribedAt: sql`iif(${row.subscribed}, null, ${ctx.now()})`,
          createdAt: ctx.now(),
          updatedAt: ctx.now(),
          topics,
          consents: firstEntries(ctx.now(), actor, sql`${row.subscribed}`, topics),
        },
        sql`from ${contactBooks} cross join ${rowsBeside(target, chunk, { withTopics: true })}
          where ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${bookId}
            and not ${isRefused}`,
      )}
      on conflict (${contacts.teamId}, ${contacts.bookId}, ${contacts.email})
      do ${updateExisting ? updateOf(ctx.now(), target) : sql`nothing`}`),
    audit,
  })
  // Without it, no row was stored.
  bookOrNotFound(found[0])
  return counts[0] as Counted
}

/** Changes only the columns that the file has. A contact may lose consent, but never gains it. */
function updateOf(now: number, { columns, actor }: Target) {
  const { known } = columns
  const old = contacts
  const leaves = sql`${old.subscribed} and not ${excluded(old.subscribed)}`
  const ifLeaving = (column: Column) => sql`iif(${leaves}, ${excluded(column)}, ${column})`
  const set = assignments(contacts, {
    updatedAt: sql`max(${excluded(old.updatedAt)}, ${old.updatedAt} + 1)`,
    ...(known.firstName !== undefined && {
      firstName: excluded(old.firstName),
      firstKey: excluded(old.firstKey),
    }),
    ...(known.lastName !== undefined && {
      lastName: excluded(old.lastName),
      lastKey: excluded(old.lastKey),
    }),
    ...(columns.properties.length > 0 && { properties: excluded(old.properties) }),
    ...(known.subscribed !== undefined && {
      subscribed: sql`min(${old.subscribed}, ${excluded(old.subscribed)})`,
      unsubscribeReason: ifLeaving(old.unsubscribeReason),
      unsubscribedAt: ifLeaving(old.unsubscribedAt),
      consents: sql`iif(${leaves}, ${withEntries([{ at: now, topicId: null, subscribed: false, ...actor }])}, ${old.consents})`,
    }),
  })
  return sql`update set ${set}`
}
