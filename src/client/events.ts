import type { CallOptions } from "./request.ts"
import { get, type Transport } from "./transport.ts"
import type { EventPage, ListEventsQuery } from "./types.ts"

export const createEventsApi = ({ call }: Transport) => ({
  /** Events after the sequence number `after`, oldest first. Pass `nextAfter` as `after` of the next call. */
  list: (query: ListEventsQuery = {}, options?: CallOptions) =>
    call<EventPage>(get`/events`, options, { query }),
})
