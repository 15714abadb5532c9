import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { CreateInboxInput, Inbox, UpdateInboxInput } from "./types.ts"

export const createInboxesApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Inbox>>(get`/inboxes`, options, { query })

  return {
    /** Creates an inbox: an address of a domain that receives, or `*@domain` for all others. */
    create: (body: CreateInboxInput, options?: CallOptions) =>
      call<Inbox>(post`/inboxes`, options, { body }),

    /** A page of inboxes, newest first. */
    list,

    /** Every inbox. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    get: (id: string, options?: CallOptions) => call<Inbox>(get`/inboxes/${id}`, options),

    update: (id: string, body: UpdateInboxInput, options?: CallOptions) =>
      call<Inbox>(patch`/inboxes/${id}`, options, { body }),

    /** Deletes an inbox with its mail. */
    remove: (id: string, options?: CallOptions) => call<undefined>(remove`/inboxes/${id}`, options),
  }
}
