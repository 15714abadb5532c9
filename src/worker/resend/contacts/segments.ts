import type { Hono } from "hono"
import { untilWon } from "../../../lib/until-won.ts"
import {
  createContactBook,
  deleteContactBook,
  getContactBook,
  listContactBooks,
  readContactBooks,
  updateContactBook,
} from "../../contacts/books.ts"
import * as contract from "../../contacts/contract.ts"
import { deleteContactIf } from "../../contacts/delete.ts"
import { isElsewhere } from "../../contacts/everywhere.ts"
import type { Contact, contactBook } from "../../contacts/shapes.ts"
import type { Ctx } from "../../platform/context.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import type { HttpEnv } from "../../platform/http/route.ts"
import type { Wire } from "../../webhooks/resend-records.ts"
import { listQuery, toList, toPageQuery } from "../lists.ts"
import { members, serve, serveRemoval, shown, toJson } from "../route.ts"
import { createLike, find } from "./contacts.ts"
import { defaultBookId, findOrCreateDefaultBook } from "./default-book.ts"

const { createContactBook: create, listContactBooks: list, getContactBook: get } = contract
const { updateContactBook: update, deleteContactBook: remove } = contract
const body = members("name")

/** Segments were called audiences before. Both are contact books. */
export function segmentRoutes(app: Hono<HttpEnv>): void {
  for (const [path, object] of [
    ["segments", "segment"],
    ["audiences", "audience"],
  ] as const) {
    serve(app, `POST /${path}`, create, { body }, async (ctx, { body }) => {
      const { id, name } = await createContactBook(ctx, toJson(create, body))
      return { object, id, name }
    })
    serve(app, `GET /${path}`, list, { query: listQuery }, async (ctx, { query }) => {
      const books = shown(list, await listContactBooks(ctx, toPageQuery(query)))
      const own = await defaultBookId(ctx)
      return toList({ ...books, data: books.data.filter(({ id }) => id !== own) }, toSegment)
    })
    serve(app, `GET /${path}/:id`, get, {}, async (ctx, { params }) => ({
      object,
      ...toSegment(shown(get, await getContactBook(ctx, params.id!))),
    }))
    serve(app, `PATCH /${path}/:id`, update, { body }, async (ctx, { params, body }) => {
      const { id } = await updateContactBook(ctx, params.id!, toJson(update, body))
      return { object, id }
    })
    serveRemoval(app, `/${path}/:id`, remove, object, async (ctx, id) => {
      if (id === (await defaultBookId(ctx))) throw conflict("The default book holds all contacts.")
      await deleteContactBook(ctx, id)
    })
  }
  membershipRoutes(app)
}

/** A contact is in a segment if the book has a contact with the same address. */
function membershipRoutes(app: Hono<HttpEnv>): void {
  serve(app, "GET /contacts/:who/segments", list, { query: listQuery }, async (ctx, { params }) => {
    const contacts = await find(ctx, params)
    const own = await defaultBookId(ctx)
    const ids = contacts.map(({ bookId }) => bookId).filter((id) => id !== own)
    const books = await readContactBooks(ctx, ids)
    return toList({ data: books.map((book) => shown(get, book)), nextCursor: null }, toSegment)
  })
  const at = "/contacts/:who/segments/:segment"
  serve(app, `POST ${at}`, contract.createContact, {}, async (ctx, { params }) => {
    const contacts = await find(ctx, params)
    const { segment = "" } = params
    if (!contacts.some(({ bookId }) => bookId === segment)) await copy(ctx, contacts[0], segment)
    return { id: segment }
  })
  serve(app, `DELETE ${at}`, contract.deleteContact, {}, async (ctx, { params }) => {
    const { segment = "" } = params
    await untilWon(async () => {
      const contacts = await find(ctx, params)
      const contact = orNotFound(
        contacts.find(({ bookId }) => bookId === segment),
        "Contact",
      )
      // Without its last segment, a contact goes to the default book.
      if (contacts.length === 1) await copy(ctx, contact, await findOrCreateDefaultBook(ctx))
      return deleteContactIf(ctx, segment, contact.id, isElsewhere(ctx, contact))
    })
    return { id: segment, audienceId: segment, deleted: true }
  })
}

const copy = (ctx: Ctx, contact: Contact, to: string) =>
  createLike(ctx, to, contact, (like) => {
    const { email, firstName, lastName, properties, subscribed } = orNotFound(like, "Contact")
    return { email, firstName, lastName, properties, subscribed, topics: {} }
  })

const toSegment = ({ id, name, createdAt }: Wire<typeof contactBook>) => ({
  id,
  name,
  created_at: createdAt,
})
