import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type { Domain } from "./types.ts"

export const openDomains = ({ call }: Transport) => ({
  /** Adds a sending domain: its `records` go into the DNS. */
  create: (body: { name: string }, options?: CallOptions) =>
    call<Domain>({ method: "POST", path: "/domains", body }, options),

  /** A page of domains, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Domain>>({ method: "GET", path: "/domains", query }, options),

  /** A domain, with its DNS records and their state. */
  get: (id: string, options?: CallOptions) =>
    call<Domain>({ method: "GET", path: path`/domains/${id}` }, options),

  /** Checks the DNS and the provider at once; safe to repeat. */
  verify: (id: string, options?: CallOptions) =>
    call<Domain>({ method: "POST", path: path`/domains/${id}/verify`, retry: true }, options),

  /** Says how many records stayed in the DNS, where records that Edgepost wrote could not be removed. */
  delete: (id: string, options?: CallOptions) =>
    call<{ leftoverDnsRecords: number } | undefined>(
      { method: "DELETE", path: path`/domains/${id}` },
      options,
    ),
})
