import { newId } from "../../../lib/id.ts"
import { jsonChunks } from "../../../lib/json.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { storeImported } from "../../suppressions/suppressions.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { selectKnown } from "../../topics/known.ts"
import { bookOrNotFound, selectBook } from "../books.ts"
import { refuseUnknown } from "../consents/choices.ts"
import { consentActor } from "../consents/consents.ts"
import { selectRefusal } from "../consents/refusals.ts"
import { nameKeys } from "../search.ts"
import { MAX_PROPERTIES } from "../shapes.ts"
import type { importContacts as contract } from "./contract.ts"
import { countChunk, importChunk } from "./import-chunk.sql.ts"
import { IMPORT_MAX_ERRORS } from "./import-limits.ts"
import type { ImportedRow, Target } from "./import-rows.ts"
import type { Columns } from "./read-columns.ts"
import { type ImportedContact, type MoreMeaning, readContacts } from "./read-import.ts"

const CONTRADICTION = "The rows of this address say both yes and no to mail"
const STORED_AS_NO = `${CONTRADICTION}: it was stored as not subscribed`
const STORED_AS_NO_IF_NEW = `${CONTRADICTION}: a new contact is stored as not subscribed, an existing one stays as it is`
const TOO_MANY_PROPERTIES = `The contact would have over ${MAX_PROPERTIES} properties, or over 16 KiB`

type Input = InputOf<typeof contract>["json"]

/** One transaction for each chunk of rows. A caller may repeat an import that failed half-way. */
export async function importContacts(
  ctx: Ctx,
  bookId: string,
  { csv, updateExisting, dryRun, ...meaning }: Input,
  { asksAllBooks = false, ...more }: MoreMeaning & { asksAllBooks?: boolean } = {},
): Promise<OutputOf<typeof contract> & { failed: number }> {
  const read = await readContacts(csv, meaning, more)
  const { columns, imports, duplicates, contradictory, errors, suppressed, warnings } = read
  const saysConsent =
    columns.known.subscribed !== undefined || columns.consent.length > 0 || !meaning.subscribed
  const how = { columns, updateExisting, asksAllBooks, saysConsent }
  const target = { ...how, ...(await readTarget(ctx, bookId, columns)) }
  const { imported, known, joined, refusals } = await storeRows(ctx, target, imports, dryRun)
  if (!dryRun) {
    const note = "From an import of contacts"
    await storeImported(
      ctx,
      suppressed.map((one) => ({ ...one, note })),
    )
  }
  const failed = errors.length + refusals.length
  const refused = new Set(refusals.map(({ line }) => line))
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

/** The book, if the caller's team has it and the topics of the file. */
async function readTarget(ctx: Ctx, bookId: string, columns: Columns) {
  const { team } = await ctx.caller()
  const topicIds = columns.topics.map(({ id }) => id)
  const [[book], knownTopics, [refusal]] = await ctx.batch([
    selectBook(ctx, bookId),
    selectKnown(ctx, team.id, topicIds),
    selectRefusal(ctx, team.id, bookId),
  ])
  bookOrNotFound(book)
  refuseUnknown(topicIds, knownTopics)
  const { actorId } = await consentActor(ctx)
  return {
    teamId: team.id,
    bookId,
    hasRefusals: refusal !== undefined,
    actor: { by: "import", actorId } as const,
    // The entry is in the batch of each chunk, and is stored once.
    audit: await auditEntry(ctx, "contactBooks.import", { id: bookId }),
  }
}

interface RefusedRow {
  line: number
  email: string
}

/** Numbers of contacts: new ones, those that the book has, and new ones that are subscribed. */
async function storeRows(
  ctx: Ctx,
  target: Target,
  contacts: readonly ImportedContact[],
  dryRun: boolean,
) {
  const rows = contacts.map(
    (contact): ImportedRow => ({
      ...contact,
      ...nameKeys(contact),
      id: newId("contact", ctx.now()),
      addressHash: target.hasRefusals ? erasedForm(ctx.settings, contact.email) : "",
    }),
  )
  const all = { imported: 0, known: 0, joined: 0, refusals: [] as RefusedRow[] }
  for (const chunk of jsonChunks(rows)) {
    const done = await (dryRun ? countChunk : importChunk)(ctx, target, chunk)
    all.imported += done.total - done.existing
    all.known += done.existing
    all.joined += done.joining
    all.refusals.push(...JSON.parse(done.refused))
  }
  return all
}

const withMessage = (rows: readonly RefusedRow[], message: string) =>
  rows.map((row) => ({ ...row, message }))
