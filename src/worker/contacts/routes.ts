import type { Hono } from "hono"
import { type HttpEnv, route } from "../platform/http/route.ts"
import {
  createContactBook,
  deleteContactBook,
  getContactBook,
  listContactBooks,
  updateContactBook,
} from "./books.ts"
import * as confirmation from "./confirmation/contract.ts"
import { listConsents } from "./consents/list-consents.ts"
import { getContact, updateContact } from "./contacts.ts"
import * as contract from "./contract.ts"
import { createContact } from "./create.ts"
import * as dashboard from "./dashboard-contract.ts"
import { deleteContact } from "./delete.ts"
import { findContacts } from "./find.ts"
import { importContacts as importContract } from "./import/contract.ts"
import { listContacts } from "./list.ts"
import { unsubscribeContacts } from "./unsubscribe/unsubscribe.ts"

export function contactRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.createContactBook, (ctx, { json }) => createContactBook(ctx, json))
  route(app, contract.listContactBooks, (ctx, { query }) => listContactBooks(ctx, query))
  route(app, contract.getContactBook, (ctx, { params }) => getContactBook(ctx, params.id))
  route(app, contract.updateContactBook, (ctx, { params, json }) =>
    updateContactBook(ctx, params.id, json),
  )
  route(app, contract.deleteContactBook, (ctx, { params }) => deleteContactBook(ctx, params.id))
  route(app, importContract, async (ctx, { params, json }) => {
    const { importContacts } = await import("./import/import.ts")
    return importContacts(ctx, params.id, json)
  })
  route(app, contract.createContact, async (ctx, { params, json: { confirm, ...input } }) => {
    if (!confirm) return createContact(ctx, params.id, input)
    const { createPending } = await import("./confirmation/create-pending.ts")
    return createPending(ctx, params.id, input)
  })
  route(app, contract.listContacts, (ctx, { params, query }) => listContacts(ctx, params.id, query))
  route(app, contract.getContact, (ctx, { params }) => getContact(ctx, params.id, params.contactId))
  route(app, contract.updateContact, (ctx, { params, json }) =>
    updateContact(ctx, params.id, params.contactId, json),
  )
  route(app, contract.deleteContact, (ctx, { params }) =>
    deleteContact(ctx, params.id, params.contactId),
  )
  route(app, confirmation.listConfirmations, async (ctx, { params, query }) => {
    const { listConfirmations } = await import("./confirmation/list.ts")
    return listConfirmations(ctx, params, query)
  })
  route(app, contract.unsubscribeContacts, (ctx, { json }) => unsubscribeContacts(ctx, json))
}

/** What only the dashboard does. */
export function consentRoutes(app: Hono<HttpEnv>): void {
  route(app, dashboard.listConsents, (ctx, { params }) =>
    listConsents(ctx, params.id, params.contactId),
  )
  route(app, dashboard.findContacts, (ctx, { query }) => findContacts(ctx, query.q))
}
