import { sql } from "drizzle-orm"
import type { Hono } from "hono"
import * as z from "zod"
import { untilWon } from "../../../lib/until-won.ts"
import { updateContact } from "../../contacts/contacts.ts"
import * as contract from "../../contacts/contract.ts"
import { createContactIf } from "../../contacts/create.ts"
import { deleteContact } from "../../contacts/delete.ts"
import { findEverywhere, isUnchanged } from "../../contacts/everywhere.ts"
import { listContacts } from "../../contacts/list.ts"
import type { Contact, Properties } from "../../contacts/shapes.ts"
import { unsubscribeContacts } from "../../contacts/unsubscribe/unsubscribe.ts"
import type { Ctx } from "../../platform/context.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import { toResendContact } from "../../webhooks/resend-records.ts"
import { whereThereIs } from "../errors.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { defined, members, serve, shown, toJson, unlessEmptyList } from "../route.ts"
import { defaultBookId, findOrCreateDefaultBook } from "./default-book.ts"
import { toChoices, topicChoices } from "./topic-choices.ts"

const MAX_SEGMENTS = 20

const absentIfNull = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => unlessEmptyList(value) ?? undefined, schema.optional())

const changeMembers = members("first_name", "last_name").extend({
  unsubscribed: absentIfNull(z.boolean()),
  properties: absentIfNull(z.record(z.string(), z.unknown())),
})

const contactMembers = changeMembers.extend({
  email: z.unknown().optional(),
  segments: z
    .array(z.object({ id: z.string() }))
    .max(MAX_SEGMENTS)
    .optional(),
  topics: topicChoices.optional(),
})
type NewContact = z.output<typeof contactMembers>

const { createContact: create, listContacts: list, updateContact: update } = contract
const { getContact: get, deleteContact: remove } = contract

export function contactRoutes(app: Hono<HttpEnv>): void {
  serve(app, "POST /contacts", create, { body: contactMembers }, async (ctx, { body }) => {
    const segments = body.segments?.map(({ id }) => id) ?? []
    return add(ctx, body, segments)
  })
  serve(app, "GET /contacts", list, { query: listQuery }, async (ctx, { query }) =>
    listDefault(ctx, query),
  )
  for (const books of ["segments", "audiences"] as const) {
    serve(app, `POST /${books}/:book/contacts`, create, { body: contactMembers }, (ctx, asked) =>
      add(ctx, asked.body, [asked.params.book!]),
    )
    serve(app, `GET /${books}/:book/contacts`, list, { query: listQuery }, (ctx, asked) =>
      listBook(ctx, asked.params.book!, asked.query),
    )
  }
  for (const at of ["/contacts/:who", "/audiences/:book/contacts/:who"] as const) {
    serve(app, `GET ${at}`, get, {}, async (ctx, { params }) => {
      const [contact] = await find(ctx, params)
      const { properties, ...record } = toRecord(contact)
      return { object: "contact", ...record, properties: typed(properties) }
    })
    serve(app, `PATCH ${at}`, update, { body: changeMembers }, async (ctx, { params, body }) => {
      const contacts = await find(ctx, params)
      await changeAll(ctx, contacts, body, params.book)
      return { object: "contact", id: contacts[0].id }
    })
    serve(app, `DELETE ${at}`, remove, {}, async (ctx, { params }) => {
      const contacts = await find(ctx, params)
      for (const { bookId, id } of contacts) await deleteContact(ctx, bookId, id)
      return { object: "contact", contact: contacts[0].id, deleted: true }
    })
  }
}

/** The contact in all books, or only in `book`. The oldest book comes first. */
export async function find(ctx: Ctx, { who = "", book }: Record<string, string>) {
  const everywhere = await findEverywhere(ctx, who)
  const contacts = book ? everywhere.filter(({ bookId }) => bookId === book) : everywhere
  return [orNotFound(contacts[0], "Contact"), ...contacts.slice(1)] as const
}

/** Adds a contact to the default book and the segments. A repeated call adds what is missing. */
async function add(ctx: Ctx, { unsubscribed, ...body }: NewContact, segments: string[]) {
  const known = typeof body.email === "string" ? await findEverywhere(ctx, body.email) : []
  const contact = toJson(create, {
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    properties: body.properties && withoutNulls(body.properties),
    subscribed: unsubscribed === undefined ? undefined : !unsubscribed,
    topics: body.topics && toChoices(body.topics),
  })
  const books = new Set([await findOrCreateDefaultBook(ctx), ...segments])
  for (const { bookId } of known) books.delete(bookId)
  if (books.size === 0) throw conflict(`${contact.email} is a contact already.`)
  let id = known[0]?.id
  for (const bookId of books) {
    const created = await createLike(ctx, bookId, known[0], (like) => ({
      ...contact,
      // A contact that has unsubscribed stays unsubscribed in a new segment.
      ...(unsubscribed === undefined && like && { subscribed: like.subscribed }),
    }))
    id ??= created.id
  }
  return { object: "contact", id }
}

/** Creates a contact by what a contact of another book is. If that one changes meanwhile, anew. */
export async function createLike(
  ctx: Ctx,
  bookId: string,
  other: Contact | undefined,
  inputOf: (other: Contact | undefined) => Parameters<typeof createContactIf>[2],
): Promise<Contact> {
  let like = other
  return untilWon(async () => {
    const condition = like ? isUnchanged(ctx, like) : sql`true`
    const created = await createContactIf(ctx, bookId, inputOf(like), { condition })
    if (!created && like) [like] = await findEverywhere(ctx, like.email)
    return created
  })
}

/** Without `book`, a contact unsubscribes from all books at once. */
async function changeAll(
  ctx: Ctx,
  contacts: readonly [Contact, ...Contact[]],
  { unsubscribed, ...others }: z.output<typeof changeMembers>,
  book: string | undefined,
): Promise<void> {
  const isWithdrawn = unsubscribed === true && book === undefined
  if (isWithdrawn) await unsubscribeContacts(ctx, { email: contacts[0].email })
  const body = isWithdrawn ? others : { unsubscribed, ...others }
  if (isWithdrawn && Object.keys(defined(body)).length === 0) return
  for (const contact of contacts) await change(ctx, contact, body)
}

async function change(ctx: Ctx, contact: Contact, body: z.output<typeof changeMembers>) {
  const { unsubscribed, properties } = body
  const changes = {
    firstName: body.first_name,
    lastName: body.last_name,
    ...(unsubscribed !== undefined && { subscribed: !unsubscribed }),
  }
  const changesOf = (now: Contact) =>
    toJson(update, {
      ...changes,
      ...(properties && { properties: withoutNulls({ ...now.properties, ...properties }) }),
    })
  await updateContact(ctx, contact.bookId, contact.id, {}, changesOf)
}

/** The first contact creates the default book. */
async function listDefault(ctx: Ctx, query: z.output<typeof listQuery>) {
  const list = await whereThereIs(listBook(ctx, await defaultBookId(ctx), query))
  return list ?? toList({ data: [], nextCursor: null }, (none) => none)
}

async function listBook(ctx: Ctx, bookId: string, query: z.output<typeof listQuery>) {
  const page = await listContacts(ctx, bookId, toPageQuery(query))
  return toList(shown(list, page), toResendContact)
}

function toRecord(contact: Contact) {
  const wire = shown(get, contact)
  return { ...toResendContact(wire), properties: wire.properties }
}

/** `null` removes a property. */
const withoutNulls = (properties: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))

/** In Resend, a property is a string or a number. */
const typed = (properties: Properties) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      typeof value === "number"
        ? { type: "number", value }
        : { type: "string", value: String(value) },
    ]),
  )
