import { type Column, sql } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import type { Ctx } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { jsonRows } from "../../platform/db/json-rows.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { enterSubscribed } from "../../sequences/runs/enter.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { storeImported } from "../../suppressions/suppressions.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { selectKnown } from "../../topics/known.ts"
import { bookOrNotFound, selectBook } from "../books.ts"
import { refuseUnknown, strictestOf } from "../consents/choices.ts"
import { changeEntries, consentActor, firstEntries, withEntries } from "../consents/consents.ts"
import { selectRefusal } from "../consents/refusals.ts"
import { moveCounts } from "../counts.ts"
import { nameKeys } from "../search.ts"
import { MAX_PROPERTIES, UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { contactBooks, contacts } from "../table.ts"
import type { importContacts as contract } from "./contract.ts"
import { IMPORT_MAX_ERRORS } from "./import-limits.ts"
import {
  contactId,
  type ImportedRow,
  isRefused,
  json,
  properties,
  row,
  rowsBeside,
  subscribed,
  type Target,
  topics,
  wasSubscribed,
} from "./import-rows.ts"
import { type MoreMeaning, readContacts } from "./read-import.ts"

const CONTRADICTION = "The rows of this address say both yes and no to mail"
const STORED_AS_NO = `${CONTRADICTION}: it was stored as not subscribed`
const STORED_AS_NO_IF_NEW = `${CONTRADICTION}: a new contact is stored as not subscribed, an existing one stays as it is`
const TOO_MANY_PROPERTIES = `The contact would have over ${MAX_PROPERTIES} properties, or over 16 KiB`

/** One transaction for each chunk of rows. A caller may repeat an import that failed half-way. */
export async function importContacts(
  ctx: Ctx,
  bookId: string,
  { csv, updateExisting, dryRun, ...meaning }: InputOf<typeof contract>["json"],
  { asksAllBooks = false, ...more }: MoreMeaning & { asksAllBooks?: boolean } = {},
): Promise<OutputOf<typeof contract> & { failed: number }> {
  const read = await readContacts(csv, meaning, more)
  const { columns, imports, duplicates, contradictory, errors, suppressed, warnings } = read
  const { team } = await ctx.caller()
  const topicIds = columns.topics.map(({ id }) => id)
  const [[book], knownTopics, [refusal]] = await ctx.batch([
    selectBook(ctx, bookId),
    selectKnown(ctx, team.id, topicIds),
    selectRefusal(ctx, team.id, bookId),
  ])
  bookOrNotFound(book)
  refuseUnknown(topicIds, knownTopics)
  const hasRefusals = refusal !== undefined
  const { actorId } = await consentActor(ctx)
  const actor = { by: "import", actorId } as const
  // The entry is in the batch of each chunk, and is stored once.
  const audit = await auditEntry(ctx, "contactBooks.import", { id: bookId })
  const saysConsent =
    columns.known.subscribed !== undefined || columns.consent.length > 0 || !meaning.subscribed
  const target = {
    teamId: team.id,
    bookId,
    columns,
    updateExisting,
    actor,
    audit,
    saysConsent,
    hasRefusals,
    asksAllBooks,
  }
  const rows = imports.map(
    (contact): ImportedRow => ({
      ...contact,
      ...nameKeys(contact),
      id: newId("contact", ctx.now()),
      addressHash: hasRefusals ? erasedForm(ctx.settings, contact.email) : "",
    }),
  )
  let imported = 0
  let known = 0
  let joined = 0
  const refusals: { line: number; email: string }[] = []
  for (const chunk of jsonChunks(rows)) {
    const { total, existing, joining, refused } = dryRun
      ? await countChunk(ctx, target, chunk)
      : await importChunk(ctx, target, chunk)
    imported += total - existing
    known += existing
    joined += joining
    refusals.push(...JSON.parse(refused))
  }
  const refused = new Set(refusals.map(({ line }) => line))
  if (!dryRun) {
    const note = "From an import of contacts"
    await storeImported(
      ctx,
      suppressed.map((one) => ({ ...one, note })),
    )
  }
  const failed = errors.length + refusals.length
  const told = contradictory.filter(({ line }) => !refused.has(line))
  errors.push(
    ...withMessage(refusals, TOO_MANY_PROPERTIES),
    ...withMessage(told, updateExisting ? STORED_AS_NO : STORED_AS_NO_IF_NEW),
  )
  return {
    imported,
    updated: updateExisting ? known : 0,
    skipped: read.skipped + (updateExisting ? 0 : known),
    duplicates,
    failed,
    errors: errors.toSorted((a, b) => a.line - b.line).slice(0, IMPORT_MAX_ERRORS),
    ...(suppressed.length > 0 && { suppressed: suppressed.length }),
    ...(warnings.length > 0 && { warnings }),
    ...(dryRun && { subscribed: joined }),
  }
}

const withMessage = (rows: readonly { line: number; email: string }[], message: string) =>
  rows.map((row) => ({ ...row, message }))

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
      count(*) filter (where not ${isRefused} and ${contactId} is null and ${subscribed})
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
        sum(iif(${contactId} is null, ${subscribed},
          -(${updateExisting} and ${wasSubscribed} and not ${subscribed}))) as subscribed
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
          subscribed,
          properties,
          unsubscribeReason: sql`iif(${subscribed}, null, ${UNSUBSCRIBE_REASONS.import})`,
          unsubscribedAt: sql`iif(${subscribed}, null, ${ctx.now()})`,
          createdAt: ctx.now(),
          updatedAt: ctx.now(),
          topics,
          consents: firstEntries(ctx.now(), actor, subscribed, { all: topics, own: json.topics }),
        },
        sql`from ${contactBooks} cross join ${rowsBeside(target, chunk, { withTopics: true })}
          where ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${bookId}
            and not ${isRefused}`,
      )}
      on conflict (${contacts.teamId}, ${contacts.bookId}, ${contacts.email})
      do ${updateExisting ? updateOf(ctx.now(), target) : sql`nothing`}`),
    audit,
    entered: enterSubscribed(
      ctx,
      sql`${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId}
        and ${contacts.id} in (select ${row.id} from ${jsonRows(chunk)})`,
      { isImport: true },
    ),
  })
  // Without it, no row was stored.
  bookOrNotFound(found[0])
  return counts[0] as Counted
}

/** Choices in the order in which an import writes them. */
const inOrder = (choices: Column) => strictestOf(sql`${choices}`, sql`'{}'`)

/** Changes only the columns that the file has. A contact may lose consent, but never gains it. */
function updateOf(now: number, { columns, saysConsent, actor }: Target) {
  const { known } = columns
  const old = contacts
  const wants = sql`(${old.subscribed} or ${old.confirmation} is 'pending')`
  const leaves = sql`${wants} and not ${excluded(old.subscribed)}`
  const choices = { from: sql`${old.topics}`, to: excluded(old.topics) }
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
    ...(saysConsent && {
      subscribed: sql`min(${old.subscribed}, ${excluded(old.subscribed)})`,
      unsubscribeReason: ifLeaving(old.unsubscribeReason),
      unsubscribedAt: ifLeaving(old.unsubscribedAt),
      confirmation: sql`iif(${leaves} and not ${old.subscribed}, null, ${old.confirmation})`,
    }),
    ...(columns.topics.length > 0 && { topics: excluded(old.topics) }),
    ...((saysConsent || columns.topics.length > 0) && {
      consents: sql`iif(${leaves} or ${old.topics} <> ${excluded(old.topics)},
        ${withEntries(changeEntries(now, actor, leaves, choices))}, ${old.consents})`,
    }),
  })
  const changes = [
    known.firstName !== undefined && sql`${old.firstName} is not ${excluded(old.firstName)}`,
    known.lastName !== undefined && sql`${old.lastName} is not ${excluded(old.lastName)}`,
    columns.properties.length > 0 && sql`${old.properties} is not ${excluded(old.properties)}`,
    columns.topics.length > 0 && sql`${inOrder(old.topics)} is not ${excluded(old.topics)}`,
    saysConsent && leaves,
  ].filter((change) => change !== false)
  const isChanged = changes.length > 0 ? sql.join(changes, sql` or `) : sql`false`
  return sql`update set ${set} where ${isChanged}`
}
