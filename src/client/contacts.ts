import { iterate, type Page } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { get, patch, post, remove, type Transport } from "./transport.ts"
import type {
  Contact,
  CreateContactInput,
  ListContactsQuery,
  UnsubscribeContactsInput,
  UpdateContactInput,
} from "./types.ts"

export const createContactsApi = ({ call }: Transport) => {
  const list = (bookId: string, query: ListContactsQuery = {}, options?: CallOptions) =>
    call<Page<Contact>>(get`/contact-books/${bookId}/contacts`, options, { query })

  return {
    /** Adds a contact to a book. */
    create: (bookId: string, body: CreateContactInput, options?: CallOptions) =>
      call<Contact>(post`/contact-books/${bookId}/contacts`, options, { body }),

    /** A page of a book's contacts, newest first. */
    list,

    /** Every contact of a book that the query finds. Reads one page after another. */
    iterate: (bookId: string, query: ListContactsQuery = {}, options?: CallOptions) =>
      iterate((page: ListContactsQuery, opts) => list(bookId, page, opts), query, options),

    /** A contact of a book. */
    get: (bookId: string, id: string, options?: CallOptions) =>
      call<Contact>(get`/contact-books/${bookId}/contacts/${id}`, options),

    /** Changes a contact; `properties` replaces all of its properties. */
    update: (bookId: string, id: string, body: UpdateContactInput, options?: CallOptions) =>
      call<Contact>(patch`/contact-books/${bookId}/contacts/${id}`, options, { body }),

    /** Deletes a contact from its book. Unsubscribe it instead if nobody may mail it again. */
    remove: (bookId: string, id: string, options?: CallOptions) =>
      call<undefined>(remove`/contact-books/${bookId}/contacts/${id}`, options),

    /** Unsubscribes an address in one book, or in every book of the team. Safe to repeat. */
    unsubscribe: (body: UnsubscribeContactsInput, options?: CallOptions) =>
      call<{ unsubscribed: number }>(post`/contacts/unsubscribe`, options, { body, retry: true }),
  }
}
