import { queryOptions } from "@tanstack/react-query"
import type { Sequence, Template } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { allOf } from "../campaigns/data.ts"

export const sequenceQuery = (id: string) =>
  queryOptions<Sequence>({
    queryKey: ["sequences", "one", id],
    queryFn: () => api.sequences.get(id),
    refetchOnWindowFocus: "always",
  })

/** Shows the sequence of a reply. */
export function keep(sequence: Sequence): Sequence {
  queries.setQueryData(sequenceQuery(sequence.id).queryKey, sequence)
  queries.invalidateQueries({ queryKey: ["sequences", "list"], refetchType: "none" })
  return sequence
}

/** The numbers of each step, by its key. */
export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: ["sequences", "steps", id],
    queryFn: () => api.sequences.steps(id),
    staleTime: 5_000,
  })

/** The templates that a step may send. */
export const templateChoicesQuery = queryOptions<Template[]>({
  queryKey: ["templates", "choices"],
  queryFn: () => allOf((query) => api.templates.list(query)),
})
