import { createTeam } from "../../../worker/teams/members/contract.ts"
import { call } from "../../api/api.ts"
import { chosenTeam } from "../../api/session.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"

/** Goes to the new team, which has nothing yet. */
export default function CreateTeamDialog({ onClose }: { onClose(): void }) {
  const form = useSchemaForm(createTeam.json, { name: "" })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Create a team"
      description="A team has its own domains, API keys, email and members. You become its owner."
    >
      <Form
        form={form}
        submit="Create team"
        onSubmit={async (body) => {
          const team = await call<typeof createTeam>({ method: "POST", path: "/teams", body })
          chosenTeam.set(team.id)
          location.assign("/dashboard/start")
        }}
      >
        <Field label="Name" error={form.formState.errors.name?.message}>
          {(control) => (
            <TextInput {...control} {...form.register("name")} autoComplete="off" autoFocus />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
