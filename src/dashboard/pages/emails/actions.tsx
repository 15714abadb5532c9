import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { EmailWithEvents } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { Field } from "../../ui/form/field.tsx"
import { DateTimeInput } from "../../ui/time/date-input.tsx"
import { toLocal, ZONE } from "../../ui/time/times.ts"
import { say } from "../../ui/toast.tsx"
import { useTask } from "../../ui/use-task.ts"
import { isWaiting } from "./cancel-emails.tsx"
import { recipientsOf } from "./email/recipients.ts"
import { SuppressedRecipients } from "./email/suppressed-recipients.tsx"
import { sameInput } from "./same-input.ts"

const refreshEmail = (id: string) => queries.invalidateQueries({ queryKey: ["email", id] })

/** What can be done with an email in its status. */
export function EmailActions({ email }: { email: EmailWithEvents }) {
  const [open, setOpen] = useState<"cancel" | "reschedule" | "again" | null>(null)
  const close = () => setOpen(null)
  const navigate = useNavigate()
  const waits = isWaiting(email)
  return (
    <>
      {email.status === "scheduled" && (
        <Button onClick={() => setOpen("reschedule")}>Reschedule</Button>
      )}
      {waits && (
        <Button kind="danger" onClick={() => setOpen("cancel")}>
          Cancel email
        </Button>
      )}
      {!waits && email.campaignId === null && (
        <Button onClick={() => setOpen("again")}>Send again</Button>
      )}
      <Confirm
        open={open === "cancel"}
        onOpenChange={close}
        title="Cancel this email?"
        description="It will not be sent. You can send it again later."
        action="Cancel email"
        keep="Keep email"
        onConfirm={async () => {
          await api.emails.cancel(email.id)
          await refreshEmail(email.id)
          say("Email cancelled")
        }}
      />
      <Confirm
        open={open === "again"}
        onOpenChange={close}
        title="Send this email again?"
        description={`Sends a new email with the same content to ${recipientsOf(email).join(", ")}.`}
        kind="primary"
        action="Send again"
        onConfirm={async () => {
          const { id } = await api.emails.send(await sameInput(email))
          navigate({ href: `/dashboard/emails/${id}` })
        }}
      >
        {open === "again" && <SuppressedRecipients email={email} />}
      </Confirm>
      {open === "reschedule" && <Reschedule email={email} onClose={close} />}
    </>
  )
}

function Reschedule({ email, onClose }: { email: EmailWithEvents; onClose(): void }) {
  const [at, setAt] = useState(toLocal(email.scheduledAt ?? Date.now()))
  const { busy, error, run } = useTask(async () => {
    await api.emails.reschedule(email.id, { scheduledAt: new Date(at).toISOString() })
    await refreshEmail(email.id)
    onClose()
    say("Email rescheduled")
  })
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title="Reschedule this email">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <Field label="Send at" hint={`Your time zone: ${ZONE}`}>
          {(control) => (
            <DateTimeInput {...control} value={at} min={toLocal(Date.now())} onChange={setAt} />
          )}
        </Field>
        {error !== null && <ErrorBox error={error} />}
        <Button
          kind="primary"
          type="submit"
          className="justify-self-end"
          busy={busy}
          disabledBecause={at === "" && "Choose a day first"}
        >
          Reschedule email
        </Button>
      </form>
    </Dialog>
  )
}
