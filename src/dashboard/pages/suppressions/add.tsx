import { addSuppression, type SuppressionReason } from "../../../worker/suppressions/contract.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextAreaField, TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { CAUSES } from "./reasons.ts"

interface Values {
  email: string
  reason: Extract<SuppressionReason, "manual" | "unsubscribe">
  note: string
}

const REASONS = addSuppression.json.shape.reason.unwrap().options

const toInput = ({ note, ...input }: Values) => ({ ...input, ...(note.trim() && { note }) })

export default function AddSuppression({
  email = "",
  onClose,
  onAdded,
}: {
  email?: string
  onClose(): void
  onAdded(): void
}) {
  const form = useSchemaForm<Values>(addSuppression.json, { email, reason: "manual", note: "" })
  const { errors } = form.formState
  const input = toInput(form.watch())
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Suppress address"
      description="Email to this address is refused, and campaigns skip it. If it is already suppressed, nothing changes."
    >
      <Form
        guard
        form={form}
        submit="Suppress address"
        request={requestOf("POST", "/suppressions", "suppressions.add", input)}
        onSubmit={async (values) => {
          await api.suppressions.add(toInput(values))
          refresh("recipient")
          onAdded()
          say("Suppressed")
          onClose()
        }}
      >
        <TextField
          label="Address"
          {...fieldOf(form, "email")}
          inputMode="email"
          autoComplete="off"
          autoFocus
        />
        <SelectField
          label="Cause"
          error={errors.reason?.message}
          value={form.watch("reason")}
          onChange={(reason) => form.setValue("reason", reason)}
          options={REASONS.map((reason) => [reason, CAUSES[reason]] as const)}
        />
        <TextAreaField label="Note" optional {...fieldOf(form, "note")} rows={2} />
      </Form>
    </Dialog>
  )
}
