import { type ReactNode, useState } from "react"
import type { Email } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { spreadsheetLine, toPieces } from "../../ui/export/csv-line.ts"
import { download } from "../../ui/export/download.ts"
import { doForEach } from "../../ui/export/for-each.ts"
import { counted } from "../../ui/numbers.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { say } from "../../ui/toast.tsx"
import { CancelEmails, isWaiting } from "./cancel-emails.tsx"
import { bareAddress, recipientsOf } from "./email/recipients.ts"
import { EXPORTED, withReasons } from "./export.ts"
import { sameInput } from "./same-input.ts"

interface Props {
  emails: readonly Email[]
}

export default function SelectedActions({ emails }: Props) {
  const may = useMay()
  return (
    <>
      <SendAgain emails={emails} />
      <ExportSelected emails={emails} />
      {may.manage && <SuppressRecipients emails={emails} />}
      <CancelEmails emails={emails} />
    </>
  )
}

function SendAgain({ emails }: Props) {
  const sendable = emails.filter((email) => !isWaiting(email) && email.campaignId === null)
  const others = emails.length - sendable.length
  return (
    <Asking
      label="Send again"
      disabledBecause={
        sendable.length === 0 && "Waiting emails and campaigns’ emails cannot be sent again"
      }
      title={`Send ${counted(sendable.length, "email")} again?`}
      description={`Sends a new email with the same content for each. Suppressed recipients are skipped.${others === 0 ? "" : ` ${counted(others, "other selected email")} cannot be sent again.`}`}
      onConfirm={async () => {
        const done = await doForEach(sendable, async (email) =>
          api.emails.send({ ...(await sameInput(email)), onSuppressed: "skip" }),
        )
        refresh("emails")
        if (done.length > 0) say(`${counted(done.length, "email")} sent again`)
      }}
    />
  )
}

function ExportSelected({ emails }: Props) {
  const start = async () => {
    const columns = Object.values(EXPORTED)
    const pieces = await toPieces(
      withReasons(emails),
      (email) => columns.map((cell) => cell(email) ?? ""),
      () => {},
    )
    const header = spreadsheetLine(Object.keys(EXPORTED))
    download("emails.csv", new Blob([header, ...pieces], { type: "text/csv" }))
  }
  return (
    <TaskButton small run={start}>
      Export as CSV
    </TaskButton>
  )
}

function SuppressRecipients({ emails }: Props) {
  const addresses = [
    ...new Set(emails.flatMap(recipientsOf).map((one) => bareAddress(one).toLowerCase())),
  ]
  const recipients = counted(addresses.length, "recipient")
  return (
    <Asking
      label="Suppress recipients"
      title={`Suppress ${recipients}?`}
      description="Emails to these addresses are refused, and campaigns skip them. You can remove the suppressions later."
      onConfirm={async () => {
        const done = await doForEach(addresses, (email) => api.suppressions.add({ email }))
        refresh("suppressions", "recipient")
        if (done.length > 0) say(`${counted(done.length, "recipient")} suppressed`)
      }}
    />
  )
}

interface AskingProps {
  label: string
  title: string
  description: ReactNode
  disabledBecause?: string | false
  onConfirm(): Promise<void>
}

function Asking({ label, disabledBecause = false, ...confirm }: AskingProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button small disabledBecause={disabledBecause} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Confirm open={isOpen} onOpenChange={setOpen} kind="primary" action={label} {...confirm} />
    </>
  )
}
