import { useState } from "react"
import type { Email } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { doForEach } from "../../ui/export/for-each.ts"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"

/** Whether an email waits, so that it can still be cancelled. */
export const isWaiting = ({ status }: Pick<Email, "status">) =>
  status === "queued" || status === "scheduled"

export function CancelEmails({ emails }: { emails: readonly Email[] }) {
  const [isOpen, setOpen] = useState(false)
  const waiting = emails.filter(isWaiting)
  return (
    <>
      <Button
        small
        kind="danger"
        onClick={() => setOpen(true)}
        disabledBecause={
          waiting.length === 0 && "Only queued and scheduled emails can be cancelled"
        }
      >
        Cancel emails
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={`Cancel ${counted(waiting.length, "email")}?`}
        description={describe(waiting.length, emails.length)}
        action="Cancel emails"
        keep="Keep emails"
        onConfirm={() => cancelAll(waiting)}
      />
    </>
  )
}

function describe(waiting: number, selected: number): string {
  const others = selected - waiting
  if (others === 0) return "They will not be sent. You can send each again later."
  return `They will not be sent. ${counted(others, "other selected email")} can no longer be cancelled.`
}

async function cancelAll(emails: readonly Email[]) {
  const done = await doForEach(emails, ({ id }) => api.emails.cancel(id))
  refresh("emails")
  if (done.length > 0) say(`${counted(done.length, "email")} cancelled`)
}
