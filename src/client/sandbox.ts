import { type Calls, get } from "./calls.ts"
import { iterate, type Page, wait } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { ListSandboxQuery, SandboxMessage } from "./types.ts"

export const createSandboxApi = ({ call }: Calls) => {
  const list = (query: ListSandboxQuery = {}, options?: CallOptions) =>
    call<Page<SandboxMessage>>(get`/sandbox/messages`, options, { query })

  return {
    /** A page of the messages in the test inbox, newest first. */
    list,

    /** Every message in the test inbox. Reads one page after another. */
    iterate: (query: ListSandboxQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Waits up to 30 seconds for a message. The page is empty if none came. */
    wait: (query: ListSandboxQuery = {}, options?: CallOptions) => wait(list, query, options),
  }
}
