import type { Domain, Inbox } from "../../../client/types.ts"
import { createInbox } from "../../../worker/received/inboxes/inboxes-contract.ts"
import { api } from "../../api/api.ts"
import { changesIn, requestBody, saveChanges } from "../../ui/changes.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { saveRequest } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { refreshInboxes } from "../threads/data.ts"

interface Props {
  domain: Domain
  /** Without one, an inbox is created. */
  inbox: Inbox | undefined
  onClose(): void
}

const DEFAULT_DAYS = 90

export default function InboxDialog({ domain, inbox, onClose }: Props) {
  const form = useSchemaForm(createInbox.json, {
    address: inbox?.address ?? "",
    name: inbox?.name ?? "",
    retentionDays: inbox?.retentionDays ?? DEFAULT_DAYS,
  })
  const shown = form.watch()
  const changes = toChanges(changesIn(form, shown))
  const json = inbox ? requestBody(changes, { name: shown.name }) : shown
  return (
    <Dialog open onOpenChange={onClose} title={inbox ? inbox.address : "Create inbox"}>
      <Form
        guard
        form={form}
        submit={inbox ? "Save" : "Create inbox"}
        request={saveRequest("/inboxes", "inboxes", inbox, json)}
        onSubmit={async (values) => {
          if (inbox) {
            await saveChanges(inbox, toChanges(changesIn(form, values)), (changes) =>
              api.inboxes.update(inbox.id, changes),
            )
          } else await api.inboxes.create(values)
          await refreshInboxes()
          say(inbox ? "Inbox saved" : "Inbox created")
          onClose()
        }}
      >
        {!inbox && (
          <TextField
            label="Address"
            hint={`Use *@${domain.name} to catch mail to all other addresses.`}
            {...fieldOf(form, "address")}
            placeholder={`support@${domain.name}`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        )}
        <TextField
          label="Name"
          optional
          hint="The sender's name of your replies."
          {...fieldOf(form, "name")}
          placeholder="Support"
        />
        <TextField
          label="Keep mail for"
          hint="Days. Older mail is deleted."
          {...fieldOf(form, "retentionDays", { valueAsNumber: true })}
          inputMode="numeric"
          className="w-24!"
        />
      </Form>
    </Dialog>
  )
}

/** The address of an inbox stays. */
const toChanges = ({
  address: _,
  ...changes
}: Partial<Record<"address" | "name", string>> & {
  retentionDays?: number
}) => changes
