import { type Calls, get, patch, post } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { ListThreadsQuery, ReplyInput, Thread, ThreadMessage, ThreadPage } from "./types.ts"

export const createThreadsApi = ({ call }: Calls) => {
  const list = (query: ListThreadsQuery = {}, options?: CallOptions) =>
    call<ThreadPage>(get`/threads`, options, { query })
  const messages = (id: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<ThreadMessage>>(get`/threads/${id}/messages`, options, { query })

  return {
    /** A page of threads, that with the newest message first. */
    list,

    /** Every thread. Reads one page after another. */
    iterate: (query: ListThreadsQuery = {}, options?: CallOptions) => iterate(list, query, options),

    get: (id: string, options?: CallOptions) => call<Thread>(get`/threads/${id}`, options),

    /** A page of the thread's messages, sent and received, oldest first. */
    messages,

    /** Every message of the thread. Reads one page after another. */
    iterateMessages: (id: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate((page: PageQuery, more) => messages(id, page, more), query, options),

    /** Marks a thread as open, done or spam. */
    update: (id: string, body: { state: Thread["state"] }, options?: CallOptions) =>
      call<Thread>(patch`/threads/${id}`, options, { body }),

    /**
     * Answers the sender of the message `receivedId`, or else whoever wrote last. The client repeats a
     * failed call only with an idempotency key in the input.
     */
    reply: (id: string, body: ReplyInput, options?: CallOptions) =>
      call<{ id: string }>(post`/threads/${id}/replies`, options, {
        body,
        retry: Boolean(body.idempotencyKey),
      }),
  }
}
