import { exists, getTableColumns, type SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { untilWon } from "../../lib/until-won.ts"
import type { Ctx } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { enterSubscribed } from "../sequences/runs/enter.ts"
import { areKnown, selectKnown } from "../topics/known.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import { refuseUnknown, selectChoices, toChoices } from "./consents/choices.ts"
import { type ConsentActor, consentActor, consentEntries, OTHER_BOOK } from "./consents/consents.ts"
import { consent, isNow, refuseTaken } from "./contacts.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { nameKeys } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, contacts } from "./table.ts"

type NewContact = InputOf<typeof contract.createContact>["json"]

export const createContact = (
  ctx: Ctx,
  bookId: string,
  input: Omit<NewContact, "confirm">,
): Promise<Contact> => untilWon(() => createContactIf(ctx, bookId, input))

interface Creation {
  condition?: SQL
  /** The caller, unless it says so. */
  actor?: ConsentActor
  /** The contact is not subscribed until the person confirms. */
  isPending?: boolean
  /** More statements for the batch, which write if the condition holds. */
  alongside?: (row: ContactRow, condition: SQL) => readonly Statement[]
}

/**
 * Answers nothing if the condition does not hold, or if the address has made a choice since its
 * choices were read.
 */
export async function createContactIf(
  ctx: Ctx,
  bookId: string,
  input: Omit<NewContact, "confirm">,
  { condition = sql`true`, actor, isPending = false, alongside = () => [] }: Creation = {},
): Promise<ContactRow | undefined> {
  const ids = Object.keys(input.topics)
  const { choices, known } = await namedBatch(ctx, {
    choices: selectChoices(ctx, ctx.team, input.email),
    known: selectKnown(ctx, ctx.team, ids),
  })
  const { team } = await ctx.caller()
  const elsewhere = toChoices(ctx, team.id, input.email, choices[0])
  const now = ctx.now()
  const row: ContactRow = {
    ...input,
    ...nameKeys(input),
    ...consent(ctx, input.subscribed),
    ...(isPending && { subscribed: false, unsubscribedAt: null }),
    confirmation: isPending ? "pending" : null,
    confirmedAt: null,
    topics: { ...elsewhere.topics, ...input.topics },
    teamId: team.id,
    bookId,
    id: newId("contact", now),
    createdAt: now,
    updatedAt: now,
  }
  const consents = [
    ...consentEntries(
      row.createdAt,
      actor ?? (await consentActor(ctx)),
      isPending ? { subscribed: input.subscribed, topics: {} } : undefined,
      input,
    ),
    ...consentEntries(row.createdAt, OTHER_BOOK, input, row),
  ]
  const isThere = sql`(${exists(selectBook(ctx, bookId))} and ${areKnown(team.id, ids)}
    and ${elsewhere.areAsRead} and ${condition})`
  const { book, created } = await commit(ctx, {
    book: selectBook(ctx, bookId),
    counts: moveCounts(
      ctx,
      team.id,
      sql`select ${bookId} as book_id, 1 as contacts, ${Number(row.subscribed)} as subscribed
        where ${isThere}`,
    ),
    events: storeEvents(ctx, [contactEvent(ctx, isPending ? "pending" : "created", row)], isThere),
    alongside: alongside(row, isThere),
    created: ctx.db
      .insert(contacts)
      .select(sql`select ${valuesOf({ ...row, consents })} where ${isThere}`)
      .returning({ id: contacts.id }),
    entered: row.subscribed ? [enterSubscribed(ctx, isNow(row))] : [],
  }).catch(refuseTaken(row.email))
  bookOrNotFound(book[0])
  refuseUnknown(ids, known)
  return created.length > 0 ? row : undefined
}

/** In the order of the columns that drizzle names in `insert ... select`. */
const valuesOf = (row: typeof contacts.$inferInsert) =>
  sql.join(
    Object.entries(getTableColumns(contacts)).flatMap(([name, column]) =>
      column.generated ? [] : sql.param(row[name as keyof typeof row], column),
    ),
    sql`, `,
  )
