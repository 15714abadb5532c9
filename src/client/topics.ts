import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type { CreateTopicInput, Topic, UpdateTopicInput } from "./types.ts"

export const createTopicsApi = ({ call }: Calls) => {
  const list = (query: PageQuery = {}, options?: CallOptions) =>
    call<Page<Topic>>(get`/topics`, options, { query })

  return {
    /** Creates a topic. Contacts that have not chosen get its mail, unless `default` says otherwise. */
    create: (body: CreateTopicInput, options?: CallOptions) =>
      call<Topic>(post`/topics`, options, { body }),

    /** A page of topics, newest first. */
    list,

    /** Every topic. Reads one page after another. */
    iterate: (query: PageQuery = {}, options?: CallOptions) => iterate(list, query, options),

    /** Changes a topic. A new `default` holds at once for contacts that have not chosen. */
    update: (id: string, body: UpdateTopicInput, options?: CallOptions) =>
      call<Topic>(patch`/topics/${id}`, options, { body }),

    /** Deletes a topic with all choices. A scheduled campaign of the topic becomes a draft. */
    remove: (id: string, options?: CallOptions) => call<undefined>(remove`/topics/${id}`, options),
  }
}
