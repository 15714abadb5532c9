import { useState } from "react"
import type { Role } from "../../../../worker/access/people/contract.ts"
import { ROLES } from "../../../../worker/access/people/roles.ts"
import { createInvitation } from "../../../../worker/teams/members/invitations-contract.ts"
import { call } from "../../../api/api.ts"
import { refresh } from "../../../api/queries.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { useMay } from "../../../app/people.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Dialog } from "../../../ui/dialog/dialog.tsx"
import { TextField } from "../../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../../ui/form/form.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { InvitationLink } from "./invitation-link.tsx"

type Made = ReplyOf<typeof createInvitation>

export default function InviteDialog({ onClose }: { onClose(): void }) {
  const [made, setMade] = useState<Made | null>(null)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={made ? `${made.email} is invited` : "Invite teammate"}
    >
      {made ? <InvitationLink {...made} /> : <InviteForm onMade={setMade} />}
    </Dialog>
  )
}

const EMPTY: { email: string; role: Role } = { email: "", role: "member" }

function InviteForm({ onMade }: { onMade(made: Made): void }) {
  const { own } = useMay()
  const form = useSchemaForm(createInvitation.json, EMPTY)
  const { errors } = form.formState
  const roles = ROLES.filter((role) => own || role !== "owner").toReversed()
  return (
    <Form
      guard
      form={form}
      submit="Invite"
      onSubmit={async (body) => {
        onMade(await call<typeof createInvitation>({ method: "POST", path: "/invitations", body }))
        await refresh("invitations")
      }}
    >
      <TextField
        label="Email"
        type="email"
        {...fieldOf(form, "email")}
        autoComplete="off"
        autoFocus
      />
      <SelectField
        label="Role"
        error={errors.role?.message}
        value={form.watch("role")}
        onChange={(role) => form.setValue("role", role)}
        options={roles.map((role) => [role, sentence(role)] as const)}
      />
    </Form>
  )
}
