import { queryOptions } from "@tanstack/react-query"
import type { Sequence } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"

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
