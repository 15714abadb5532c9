import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  ContactBook,
  CreateContactBookInput,
  ImportContactsInput,
  ImportReport,
  UpdateContactBookInput,
} from "./types.ts"

export const createContactBooksApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ContactBook>>(get`/contact-books`, options, { query })

  return {
    /** Creates an empty book. */
    create: (body: CreateContactBookInput, options?: CallOptions) =>
      call<ContactBook>(post`/contact-books`, options, { body }),

    /** A page of contact books, newest first. */
    list,

    /** Every contact book. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** A book, and how many contacts it has. */
    get: (id: string, options?: CallOptions) =>
      call<ContactBook>(get`/contact-books/${id}`, options),

    /** Changes the name or the default sender. */
    update: (id: string, body: UpdateContactBookInput, options?: CallOptions) =>
      call<ContactBook>(patch`/contact-books/${id}`, options, { body }),

    /** Imports CSV of up to 2 MiB and 10,000 rows. The report lists failed rows. The client never repeats this call. */
    import: (id: string, body: ImportContactsInput, options?: CallOptions) =>
      call<ImportReport>(post`/contact-books/${id}/contacts/import`, options, { body }),

    /** Deletes a book with every contact in it. */
    remove: (id: string, options?: CallOptions) =>
      call<undefined>(remove`/contact-books/${id}`, options),
  }
}
