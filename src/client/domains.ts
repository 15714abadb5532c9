import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { Domain } from "./types.ts"

export const createDomainsApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Domain>>(get`/domains`, options, { query })
  const removeOne = (id: string, options?: CallOptions) =>
    call<{ leftoverDnsRecords: number } | undefined>(remove`/domains/${id}`, options)

  return {
    /** Adds a sending domain. Add its `records` to your DNS. */
    create: (body: { name: string }, options?: CallOptions) =>
      call<Domain>(post`/domains`, options, { body }),

    /** A page of domains, newest first. */
    list,

    /** Every domain. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** A domain, with its DNS records and their state. */
    get: (id: string, options?: CallOptions) => call<Domain>(get`/domains/${id}`, options),

    /** Turns the mail to a domain on or off. */
    update: (id: string, body: { receiving: Domain["receiving"]["mode"] }, options?: CallOptions) =>
      call<Domain>(patch`/domains/${id}`, options, { body }),

    /** Checks the DNS records and the provider now. Safe to repeat. */
    verify: (id: string, options?: CallOptions) =>
      call<Domain>(post`/domains/${id}/verify`, options, { retry: true }),

    /** Deletes a domain. Answers how many DNS records Edgepost had written and could not remove. */
    remove: removeOne,

    /** @deprecated Use `remove`. */
    delete: removeOne,
  }
}
