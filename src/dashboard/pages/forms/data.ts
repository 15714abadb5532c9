import { queryOptions } from "@tanstack/react-query"
import type { Form, UpdateFormInput } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { percent } from "../../ui/numbers.ts"
import { duration } from "../../ui/time/times.ts"

export const formQuery = (id: string) =>
  queryOptions<Form>({
    queryKey: ["forms", "one", id],
    queryFn: () => api.forms.get(id),
    refetchOnWindowFocus: "always",
  })

export async function saveForm(id: string, changes: UpdateFormInput): Promise<Form> {
  const saved = await api.forms.update(id, changes)
  queries.setQueryData(formQuery(id).queryKey, saved)
  void queries.invalidateQueries({ queryKey: ["forms"], refetchType: "none" })
  return saved
}

export const stateOf = ({ enabled }: Form) =>
  enabled ? { state: "enabled", label: "Open" } : { state: "waiting", label: "Paused" }

export const shareOf = ({ counts: { asked, confirmed } }: Form) =>
  asked > 0 ? percent(confirmed / asked) : null

/** How long people take to confirm. */
export const medianOf = ({ counts: { medianSeconds } }: Form) =>
  medianSeconds === null ? null : duration(medianSeconds * 1_000)
