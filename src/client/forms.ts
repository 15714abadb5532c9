import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { CreateFormInput, Form, UpdateFormInput } from "./types.ts"

interface FormQuery extends PageQuery {
  /** Forms of one contact book alone. */
  bookId?: string
}

export const createFormsApi = ({ call }: Calls) => {
  const list = (query: FormQuery = {}, options?: CallOptions) =>
    call<Page<Form>>(get`/forms`, options, { query })

  return {
    /** Creates a form that subscribes people to a contact book. Its page is at `/f/ID`. */
    create: (body: CreateFormInput, options?: CallOptions) =>
      call<Form>(post`/forms`, options, { body }),

    /** A page of forms, newest first. */
    list,

    /** Every form. Reads one page after another. */
    iterate: (query: FormQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** A form with its figures: how many were asked, and how many have confirmed. */
    get: (id: string, options?: CallOptions) => call<Form>(get`/forms/${id}`, options),

    /** Changes a form. Its book stays. */
    update: (id: string, body: UpdateFormInput, options?: CallOptions) =>
      call<Form>(patch`/forms/${id}`, options, { body }),

    /** Deletes a form. Its contacts and their history of consent stay. */
    remove: (id: string, options?: CallOptions) => call<undefined>(remove`/forms/${id}`, options),
  }
}
