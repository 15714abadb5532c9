import { type Column, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { assignments, excluded, insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { jsonRows } from "../../platform/db/json-rows.ts"
import { enterSubscribed } from "../../sequences/runs/enter.ts"
import { bookOrNotFound, selectBook } from "../books.ts"
import { strictestOf } from "../consents/choices.ts"
import { changeEntries, firstEntries, withEntries } from "../consents/consents.ts"
import { moveCounts } from "../counts.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { contactBooks, contacts } from "../table.ts"
import {
  contactId,
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

/** What a chunk of rows does, or would do. */
export interface Counted {
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

export async function countChunk(ctx: Ctx, target: Target, chunk: string): Promise<Counted> {
  const [[counted]] = await ctx.batch([selectCounts(ctx, target, chunk)])
  return counted as Counted
}

export async function importChunk(ctx: Ctx, target: Target, chunk: string): Promise<Counted> {
  const { teamId, bookId, updateExisting, actor, audit } = target
  const now = ctx.now()
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
          unsubscribedAt: sql`iif(${subscribed}, null, ${now})`,
          createdAt: now,
          updatedAt: now,
          topics,
          consents: firstEntries(now, actor, subscribed, { all: topics, own: json.topics }),
        },
        sql`from ${contactBooks} cross join ${rowsBeside(target, chunk, { withTopics: true })}
          where ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${bookId}
            and not ${isRefused}`,
      )}
      on conflict (${contacts.teamId}, ${contacts.bookId}, ${contacts.email})
      do ${updateExisting ? updateOf(now, target) : sql`nothing`}`),
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
