import type { Suppression } from "../../../client/types.ts"
import type { restoreSuppression } from "../../../worker/suppressions/contract.ts"
import { api, call } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { doForEach } from "../../ui/export/for-each.ts"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"
import { CONSEQUENCES } from "./reasons.ts"

type Removed = Omit<Suppression, "id">

/** Tells the consequences. Undo brings the entry back with its cause, note and time. */
export async function removeSuppression(suppression: Removed): Promise<void> {
  const { email, reason } = suppression
  const [removed] = await removeEach([suppression])
  if (removed)
    say(`${email} is no longer suppressed. ${CONSEQUENCES[reason]}`, () => restoreEach([removed]))
}

export async function removeSuppressions(suppressions: readonly Removed[]): Promise<void> {
  const removed = await removeEach(suppressions)
  if (removed.length > 0)
    say(`${counted(removed.length, "address", "addresses")} can receive email again.`, () =>
      restoreEach(removed),
    )
}

async function removeEach(suppressions: readonly Removed[]): Promise<Removed[]> {
  const removed = await doForEach(suppressions, ({ email }) => api.suppressions.remove(email))
  refreshSuppressions()
  return removed
}

async function restoreEach(removed: readonly Removed[]): Promise<void> {
  await doForEach(removed, ({ email, reason, note, sourceEmailId, createdAt }) => {
    const body = { email, reason, note, sourceEmailId, createdAt }
    return call<typeof restoreSuppression>({ method: "POST", path: "/suppressions/restore", body })
  })
  refreshSuppressions()
}

function refreshSuppressions() {
  refresh("suppressions", "recipient")
  // An email's page says who of its recipients is suppressed.
  refresh("email")
}
