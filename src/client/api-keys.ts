import type { Page, PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import { get, post, remove, type Transport } from "./transport.ts"
import type { ApiKey, CreateApiKeyInput } from "./types.ts"

export const createApiKeysApi = ({ call }: Transport) => ({
  /** Creates a key. Its `secret` is shown only once. */
  create: (body: CreateApiKeyInput, options?: CallOptions) =>
    call<{ id: string; secret: string }>(post`/api-keys`, options, { body }),

  /** A page of live keys, newest first. */
  list: (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ApiKey>>(get`/api-keys`, options, { query }),

  /** Revokes a key for good, from its next request on. */
  revoke: (id: string, options?: CallOptions) => call<undefined>(remove`/api-keys/${id}`, options),
})
