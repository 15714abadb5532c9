import type { Sequence } from "../../../client/types.ts"

const STATES: Record<Sequence["status"], string> = {
  draft: "waiting",
  active: "ok",
  paused: "warning",
  archived: "waiting",
}

/** The sequence's status as a badge. */
export const stateOf = ({ status }: Pick<Sequence, "status">) => ({
  state: STATES[status],
  label: `${status.charAt(0).toUpperCase()}${status.slice(1)}`,
})
