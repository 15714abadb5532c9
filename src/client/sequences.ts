import { type Calls, get, patch, post, remove } from "./calls.ts"
import { iterate, type Page, type PageQuery } from "./pages.ts"
import type { CallOptions } from "./request.ts"
import type {
  CreateSequenceInput,
  ListRunsQuery,
  PreviewSequenceInput,
  Sequence,
  SequencePreview,
  SequenceRun,
  SequenceRunPage,
  SequenceRunWithHistory,
  SimulateSequenceInput,
  Simulation,
  StartRunsInput,
  UpdateSequenceInput,
} from "./types.ts"

interface SequenceQuery extends PageQuery {
  status?: Sequence["status"]
}

/** The numbers of a step. */
type StepNumbers = Record<
  "entered" | "waiting" | "sent" | "delivered" | "opened" | "clicked" | "unsubscribed" | "ended",
  number
>

export const createSequencesApi = ({ call }: Calls) => {
  const list = (query: SequenceQuery = {}, options?: CallOptions) =>
    call<Page<Sequence>>(get`/sequences`, options, { query })
  const runs = (id: string, query: ListRunsQuery = {}, options?: CallOptions) =>
    call<SequenceRunPage>(get`/sequences/${id}/runs`, options, { query })

  return {
    /** Creates a draft. Nobody enters before it is active. */
    create: (body: CreateSequenceInput, options?: CallOptions) =>
      call<Sequence>(post`/sequences`, options, { body }),

    /** A page of sequences, newest first. */
    list,

    /** Every sequence. Reads one page after another. */
    iterate: (query: SequenceQuery = {}, options?: CallOptions) => iterate(list, query, options),

    get: (id: string, options?: CallOptions) => call<Sequence>(get`/sequences/${id}`, options),

    /** Makes the next version. Throws `conflict` where `version` is not the current one. */
    update: (id: string, body: UpdateSequenceInput, options?: CallOptions) =>
      call<Sequence>(patch`/sequences/${id}`, options, { body }),

    /** Deletes a draft or an archived sequence with its runs. */
    remove: (id: string, options?: CallOptions) =>
      call<undefined>(remove`/sequences/${id}`, options),

    /** Activates a sequence, or lets a paused one go on. */
    activate: (id: string, options?: CallOptions) =>
      call<Sequence>(post`/sequences/${id}/activate`, options, { retry: true }),

    pause: (id: string, options?: CallOptions) =>
      call<Sequence>(post`/sequences/${id}/pause`, options, { retry: true }),

    /** Ends all runs of a sequence for good. */
    archive: (id: string, options?: CallOptions) =>
      call<Sequence>(post`/sequences/${id}/archive`, options, { retry: true }),

    /** Lets held runs go on. */
    resume: (id: string, options?: CallOptions) =>
      call<Sequence>(post`/sequences/${id}/resume`, options, { retry: true }),

    /** Starts a sequence for up to 1,000 contacts, where its trigger is `call`. */
    start: (id: string, body: StartRunsInput, options?: CallOptions) =>
      call<{ started: number; skipped: number }>(post`/sequences/${id}/contacts`, options, {
        body,
        retry: true,
      }),

    /**
     * A page of the runs of a sequence, newest first. With `searchedUntil` it has looked back to that
     * time only, and may be short or empty: the next page goes on.
     */
    runs,

    /** Every run of a sequence that the query finds. Reads one page after another. */
    iterateRuns: (id: string, query: ListRunsQuery = {}, options?: CallOptions) =>
      iterate((page: ListRunsQuery, more) => runs(id, page, more), query, options),

    /** What became of people, by the key of the step. */
    steps: (id: string, options?: CallOptions) =>
      call<Record<string, StepNumbers>>(get`/sequences/${id}/steps`, options),

    /** Tells whom a change of the steps would move. */
    preview: (id: string, body: PreviewSequenceInput, options?: CallOptions) =>
      call<SequencePreview>(post`/sequences/${id}/preview`, options, { body, retry: true }),

    /** Tells what would happen to a contact. Sends and stores nothing. */
    simulate: (id: string, body: SimulateSequenceInput, options?: CallOptions) =>
      call<Simulation>(post`/sequences/${id}/simulate`, options, { body, retry: true }),
  }
}

export const createRunsApi = ({ call }: Calls) => ({
  /** Reads a run with its history. */
  get: (id: string, options?: CallOptions) =>
    call<SequenceRunWithHistory>(get`/runs/${id}`, options),

  end: (id: string, options?: CallOptions) => call<SequenceRun>(post`/runs/${id}/end`, options),

  /** Passes the step that a run stands in. */
  skip: (id: string, options?: CallOptions) => call<SequenceRun>(post`/runs/${id}/skip`, options),
})
