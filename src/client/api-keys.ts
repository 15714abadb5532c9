import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { path, type Transport } from "./transport.ts"
import type { ApiKey, CreateApiKeyInput } from "./types.ts"

export const openApiKeys = ({ call }: Transport) => ({
  /** Creates a key. Its `secret` is shown only once. */
  create: (body: CreateApiKeyInput, options?: CallOptions) =>
    call<{ id: string; secret: string }>({ method: "POST", path: "/api-keys", body }, options),

  /** A page of live keys, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ApiKey>>({ method: "GET", path: "/api-keys", query }, options),

  /** Revokes a key for good, from its next request on. */
  revoke: (id: string, options?: CallOptions) =>
    call<undefined>({ method: "DELETE", path: path`/api-keys/${id}` }, options),
})
