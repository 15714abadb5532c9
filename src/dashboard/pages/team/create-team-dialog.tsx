import { useQuery } from "@tanstack/react-query"
import { createTeam } from "../../../worker/teams/members/contract.ts"
import { call } from "../../api/api.ts"
import { installationQuery } from "../../api/installation.ts"
import { chosenTeam } from "../../api/session.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { type Jurisdictions, RegionField } from "../../ui/form/region-field.tsx"
import { Loaded } from "../../ui/waiting.tsx"

/** Goes to the new team, which has nothing yet. */
export default function CreateTeamDialog({ onClose }: { onClose(): void }) {
  const installation = useQuery(installationQuery)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Create team"
      description="A team has its own domains, API keys, email and members. You become its owner."
    >
      <Loaded query={installation} lines={2}>
        {({ jurisdictions }) => <CreateTeamForm jurisdictions={jurisdictions} />}
      </Loaded>
    </Dialog>
  )
}

function CreateTeamForm({ jurisdictions }: { jurisdictions: Jurisdictions }) {
  const form = useSchemaForm(createTeam.json, {
    name: "",
    jurisdiction: jurisdictions[0] ?? undefined,
  })
  return (
    <Form
      form={form}
      submit="Create team"
      onSubmit={async (body) => {
        const team = await call<typeof createTeam>({ method: "POST", path: "/teams", body })
        chosenTeam.open(team.id, "/dashboard/start")
      }}
    >
      <TextField label="Name" {...fieldOf(form, "name")} autoComplete="off" autoFocus />
      <RegionField jurisdictions={jurisdictions} form={form} />
    </Form>
  )
}
