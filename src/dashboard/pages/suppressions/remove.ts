import type { Suppression } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Confirm } from "../../ui/dialog.tsx"
import { say } from "../../ui/toast.tsx"
import { CONSEQUENCES } from "./reasons.ts"

/** Asks, since adding the address again would not bring back its cause and its time. */
export function RemoveSuppression({
  suppression: { email, reason },
  onClose,
}: {
  suppression: Suppression
  onClose(): void
}) {
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Remove from suppressions"
      description={
        <>
          <p className="font-medium text-ink wrap-anywhere">{email}</p>
          <p className="mt-1">{CONSEQUENCES[reason]}</p>
          <p className="mt-1">Its cause, note and time are lost.</p>
        </>
      }
      action="Remove address"
      onConfirm={async () => {
        await api.suppressions.remove(email)
        queries.invalidateQueries({ queryKey: ["suppressions"] })
        queries.invalidateQueries({ queryKey: ["recipient"] })
        say("Removed. Mail to this address goes out again.")
      }}
    />
  )
}
