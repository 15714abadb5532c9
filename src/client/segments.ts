import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { Contact, CreateSegmentInput, Segment, UpdateSegmentInput } from "./types.ts"

interface SegmentQuery extends PageQuery {
  /** Segments of one contact book alone. */
  bookId?: string
}

export const createSegmentsApi = ({ call }: Calls) => {
  const list = (query: SegmentQuery = {}, options?: CallOptions) =>
    call<Page<Segment>>(get`/segments`, options, { query })

  const contacts = (id: string, query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Contact>>(get`/segments/${id}/contacts`, options, { query })

  return {
    /** Creates a segment: a saved filter over a contact book. It is counted in the background. */
    create: (body: CreateSegmentInput, options?: CallOptions) =>
      call<Segment>(post`/segments`, options, { body }),

    /** A page of segments, newest first. */
    list,

    /** Every segment. Reads one page after another. */
    iterate: (query: SegmentQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Reads a segment. `contactCount` is null until it was counted. */
    get: (id: string, options?: CallOptions) => call<Segment>(get`/segments/${id}`, options),

    /** Changes a segment. A campaign that is being sent keeps the filter that it started with. */
    update: (id: string, body: UpdateSegmentInput, options?: CallOptions) =>
      call<Segment>(patch`/segments/${id}`, options, { body }),

    /** Deletes a segment; its contacts stay. Throws `conflict` while a campaign needs it. */
    remove: (id: string, options?: CallOptions) =>
      call<undefined>(remove`/segments/${id}`, options),

    /** A page of the contacts that match now, newest first. It may be short though more follow. */
    contacts,

    /** Every contact that matches now. Reads one page after another. */
    iterateContacts: (id: string, query: PageQuery = {}, options?: CallOptions) =>
      iterate(
        (page: PageQuery, callOptions?: CallOptions) => contacts(id, page, callOptions),
        query,
        options,
      ),
  }
}
