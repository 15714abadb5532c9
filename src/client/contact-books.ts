import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type {
  ContactBook,
  CreateContactBookInput,
  ImportContactsInput,
  ImportReport,
  UpdateContactBookInput,
} from "./types.ts"

export const openContactBooks = ({ call }: Transport) => ({
  /** Creates an empty book. */
  create: (body: CreateContactBookInput, options?: CallOptions) =>
    call<ContactBook>({ method: "POST", path: "/contact-books", body }, options),

  /** A page of contact books, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ContactBook>>({ method: "GET", path: "/contact-books", query }, options),

  /** A book, and how many contacts it has. */
  get: (id: string, options?: CallOptions) =>
    call<ContactBook>({ method: "GET", path: path`/contact-books/${id}` }, options),

  /** Changes the name or the default sender. */
  update: (id: string, body: UpdateContactBookInput, options?: CallOptions) =>
    call<ContactBook>({ method: "PATCH", path: path`/contact-books/${id}`, body }, options),

  /** Imports CSV of up to 2 MiB and 10,000 rows. The report lists failed rows. The client never repeats this call. */
  import: (id: string, body: ImportContactsInput, options?: CallOptions) =>
    call<ImportReport>(
      { method: "POST", path: path`/contact-books/${id}/contacts/import`, body },
      options,
    ),

  /** Deletes a book with every contact in it. */
  remove: (id: string, options?: CallOptions) =>
    call<undefined>({ method: "DELETE", path: path`/contact-books/${id}` }, options),
})
