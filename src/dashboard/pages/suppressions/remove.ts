import type { Suppression } from "../../../client/types.ts"
import type { restoreSuppression } from "../../../worker/suppressions/contract.ts"
import { api, call } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { say, sayError } from "../../ui/toast.tsx"
import { CONSEQUENCES } from "./reasons.ts"

type Removed = Omit<Suppression, "id">

/** Tells the consequences. Undo brings the entry back with its cause, note and time. */
export async function removeSuppression(suppression: Removed): Promise<void> {
  const { email, reason, note, sourceEmailId, createdAt } = suppression
  const restore = async () => {
    const body = { email, reason, note, sourceEmailId, createdAt }
    await call<typeof restoreSuppression>({ method: "POST", path: "/suppressions/restore", body })
    refresh()
  }
  try {
    await api.suppressions.remove(email)
    refresh()
    say(`${email} is no longer suppressed. ${CONSEQUENCES[reason]}`, restore)
  } catch (error) {
    sayError(error)
  }
}

function refresh() {
  queries.invalidateQueries({ queryKey: ["suppressions"] })
  queries.invalidateQueries({ queryKey: ["recipient"] })
}
