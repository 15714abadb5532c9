import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type { Domain } from "./types.ts"

export const openDomains = ({ call }: Transport) => ({
  /** Adds a sending domain. Add its `records` to your DNS. */
  create: (body: { name: string }, options?: CallOptions) =>
    call<Domain>({ method: "POST", path: "/domains", body }, options),

  /** A page of domains, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Domain>>({ method: "GET", path: "/domains", query }, options),

  /** A domain, with its DNS records and their state. */
  get: (id: string, options?: CallOptions) =>
    call<Domain>({ method: "GET", path: path`/domains/${id}` }, options),

  /** Checks the DNS records and the provider now. Safe to repeat. */
  verify: (id: string, options?: CallOptions) =>
    call<Domain>({ method: "POST", path: path`/domains/${id}/verify`, retry: true }, options),

  /** Deletes a domain. Answers how many DNS records Edgepost had written and could not remove. */
  delete: (id: string, options?: CallOptions) =>
    call<{ leftoverDnsRecords: number } | undefined>(
      { method: "DELETE", path: path`/domains/${id}` },
      options,
    ),
})
