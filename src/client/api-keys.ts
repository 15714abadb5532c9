import { type Calls, get, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { ApiKey, CreateApiKeyInput } from "./types.ts"

export const createApiKeysApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ApiKey>>(get`/api-keys`, options, { query })
  const removeOne = (id: string, options?: CallOptions) =>
    call<undefined>(remove`/api-keys/${id}`, options)

  return {
    /** Creates a key. Its `secret` is shown only once. */
    create: (body: CreateApiKeyInput, options?: CallOptions) =>
      call<{ id: string; secret: string }>(post`/api-keys`, options, { body }),

    /** A page of live keys, newest first. */
    list,

    /** Every live key. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Revokes a key for good, from its next request on. */
    remove: removeOne,

    /** @deprecated Use `remove`. */
    revoke: removeOne,
  }
}
