import type { CallOptions } from "./request.ts"
import type { Transport } from "./transport.ts"
import type { EventPage, ListEventsQuery } from "./types.ts"

export const openEvents = ({ call }: Transport) => ({
  /** Events above the sequence `after`, oldest first. Give `nextAfter` as the next call's `after`. */
  list: (query: ListEventsQuery = {}, options?: CallOptions) =>
    call<EventPage>({ method: "GET", path: "/events", query }, options),
})
