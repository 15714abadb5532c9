import { type Calls, get, patch, post, remove } from "./calls.ts"
import { EdgepostError } from "./error.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  Consent,
  Contact,
  ContactEvent,
  CreateContactInput,
  ListContactsQuery,
  UnsubscribeContactsInput,
  UpdateContactInput,
} from "./types.ts"

const MAX_SEARCH_CHARACTERS = 120

/** An address as the service stores it: in lower case, with the domain in punycode. */
function toStored(email: string): string {
  const [, local = "", domain] =
    /^(.*@)([\p{L}\p{M}\p{N}\p{Join_Control}.-]+)$/u.exec(email.trim()) ?? []
  const url = `http://${domain?.replace(/\.$/, "")}`
  const isAddress = domain !== undefined && URL.canParse(url)
  return (isAddress ? local + new URL(url).hostname : email.trim()).toLowerCase()
}

export const createContactsApi = ({ call }: Calls) => {
  const list = (bookId: string, query: ListContactsQuery = {}, options?: CallOptions) =>
    call<Page<Contact>>(get`/contact-books/${bookId}/contacts`, options, { query })
  const consent = (bookId: string, id: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Consent>>(get`/contact-books/${bookId}/contacts/${id}/consent`, options, { query })
  const events = (bookId: string, id: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ContactEvent>>(get`/contact-books/${bookId}/contacts/${id}/events`, options, {
      query,
    })

  const create = (bookId: string, body: CreateContactInput, options?: CallOptions) =>
    call<Contact>(post`/contact-books/${bookId}/contacts`, options, { body })
  const update = (bookId: string, id: string, body: UpdateContactInput, options?: CallOptions) =>
    call<Contact>(patch`/contact-books/${bookId}/contacts/${id}`, options, { body })
  const getByEmail = async (bookId: string, email: string, options?: CallOptions) => {
    const address = toStored(email)
    const q = address.slice(0, MAX_SEARCH_CHARACTERS)
    const { data } = await list(bookId, { q, limit: 100 }, options)
    return data.find((contact) => contact.email === address) ?? null
  }

  return {
    /** Adds a contact to a book. */
    create,

    /** A page of how a contact has agreed, newest first: what the form said, and when. */
    consent,

    /** Every time that a contact has agreed. Reads one page after another. */
    iterateConsent: (bookId: string, id: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate((page: PageQuery, more) => consent(bookId, id, page, more), query, options),

    /** A page of the events that were told of a contact, newest first. */
    events,

    /** Every event that was told of a contact. Reads one page after another. */
    iterateEvents: (bookId: string, id: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate((page: PageQuery, more) => events(bookId, id, page, more), query, options),

    /** The contact with this address in a book, or null. */
    getByEmail,

    /**
     * Adds a contact, or changes the one with this address: the given fields, and never from
     * unsubscribed to subscribed, neither the book nor a topic. Use `update` for somebody who asked to be subscribed again.
     * Where nothing is left to change, the answer is the contact as it is.
     */
    async upsert(bookId: string, body: CreateContactInput, options?: CallOptions) {
      const { email, subscribed, confirm: _, topics = {}, ...fields } = body
      const change = (known: Contact) => {
        const chosen = Object.entries(topics).filter(
          ([id, wants]) => !wants || known.topics[id] !== false,
        )
        const changes = {
          ...fields,
          ...(subscribed === false && { subscribed }),
          ...(chosen.length > 0 && { topics: Object.fromEntries(chosen) }),
        }
        const hasChanges = Object.values(changes).some((value) => value !== undefined)
        return hasChanges ? update(bookId, known.id, changes, options) : known
      }
      const known = await getByEmail(bookId, email, options)
      if (known) return change(known)
      return create(bookId, body, options).catch(async (error: unknown) => {
        // Somebody else has just added the address.
        const added = isConflict(error) && (await getByEmail(bookId, email, options))
        if (!added) throw error
        return change(added)
      })
    },

    /** A page of a book's contacts, newest first. */
    list,

    /** Every contact of a book that the query finds. Reads one page after another. */
    iterate: (bookId: string, query: ListContactsQuery = {}, options?: CallOptions) =>
      iterate((page: ListContactsQuery, opts) => list(bookId, page, opts), query, options),

    /** A contact of a book. */
    get: (bookId: string, id: string, options?: CallOptions) =>
      call<Contact>(get`/contact-books/${bookId}/contacts/${id}`, options),

    /** Changes a contact; `properties` replaces all of its properties. */
    update,

    /** Deletes a contact from its book. Unsubscribe it instead if nobody may mail it again. */
    remove: (bookId: string, id: string, options?: CallOptions) =>
      call<undefined>(remove`/contact-books/${bookId}/contacts/${id}`, options),

    /** Unsubscribes an address in one book, or in every book of the team. Safe to repeat. */
    unsubscribe: (body: UnsubscribeContactsInput, options?: CallOptions) =>
      call<{ unsubscribed: number }>(post`/contacts/unsubscribe`, options, { body, retry: true }),
  }
}

const isConflict = (error: unknown) => error instanceof EdgepostError && error.code === "conflict"
