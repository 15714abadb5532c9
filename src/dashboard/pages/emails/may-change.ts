import type { SavedView } from "../../api/views.ts"
import { useMay, useSession } from "../../app/people.ts"

/** A member may change and delete own views only. */
export function useMayChange(): (view: SavedView) => boolean {
  const { user } = useSession()
  const { manage } = useMay()
  return ({ createdBy }) => manage || createdBy === user.id
}
