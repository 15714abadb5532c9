import { type Calls, get } from "./calls.ts"
import { iterate, type Page } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { ListSandboxQuery, SandboxMessage } from "./types.ts"

const MAX_WAIT_SECONDS = 30
const TRANSFER_MS = 10_000

export const createSandboxApi = ({ call }: Calls) => {
  const list = (query: ListSandboxQuery = {}, options?: CallOptions) =>
    call<Page<SandboxMessage>>(get`/sandbox/messages`, options, { query })

  return {
    /** A page of the messages in the test inbox, newest first. */
    list,

    /** Every message in the test inbox. Reads one page after another. */
    iterate: (query: ListSandboxQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Waits up to 30 seconds for a message. The page is empty if none came. */
    wait: (query: ListSandboxQuery = {}, options: CallOptions = {}) => {
      const seconds = query.wait ?? MAX_WAIT_SECONDS
      return list(
        { ...query, wait: seconds },
        { timeoutMs: seconds * 1000 + TRANSFER_MS, ...options },
      )
    },
  }
}
