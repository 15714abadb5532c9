import { type Calls, get, post } from "./calls.ts"
import type { CallOptions } from "./request.ts"
import type { EventPage, ListEventsQuery, SendEventsInput } from "./types.ts"

export const createEventsApi = ({ call }: Calls) => {
  const list = (query: ListEventsQuery = {}, options?: CallOptions) =>
    call<EventPage>(get`/events`, options, { query })

  return {
    /** Events after the sequence number `after`, oldest first. Pass `nextAfter` as `after` of the next call. */
    list,

    /** Tells what a contact did. Starts sequences and lets runs go on that wait for it. */
    send: (body: SendEventsInput, options?: CallOptions) =>
      call<{ id: string } | { data: { id: string }[] }>(post`/events`, options, { body }),

    /** The number of the last event, or of the last before a time: the `after` with which to begin there. */
    position: (query: { at?: string | Date } = {}, options?: CallOptions) =>
      call<{ after: number }>(get`/event-position`, options, { query }),

    /**
     * Every event after the sequence number `after` that there is now, oldest first. Where the service
     * has numbered its events anew, as after a restore of the database, it begins with the first.
     */
    async *iterate(query: ListEventsQuery = {}, options?: CallOptions) {
      let page = await list(query, options)
      while (page.data.length > 0 || page.reset) {
        yield* page.data
        page = await list({ ...query, after: page.nextAfter }, options)
      }
    },
  }
}
