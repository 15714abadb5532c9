import { Suspense } from "react"
import type { updateTeam } from "../../../worker/teams/contract.ts"
import { call } from "../../api/api.ts"
import { queries, refresh, type Team } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { changesIn, saveChanges } from "../../ui/changes.ts"
import { Switch, TextAreaField, TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { say } from "../../ui/toast.tsx"
import { Skeleton } from "../../ui/waiting.tsx"

const SenderPreview = lazy(() => import("./brand/sender-preview.tsx"))

const loadSchema = async () => (await import("../../../worker/teams/contract.ts")).updateTeam.json

export function SettingsForm({ team }: { team: Team }) {
  const { name, trackOpens, trackClicks } = team
  const form = useSchemaForm(loadSchema, {
    name,
    postalAddress: team.postalAddress ?? "",
    trackOpens,
    trackClicks,
  })
  const shown = form.watch()
  const save = async (values: typeof shown) => {
    const saved = await saveChanges(team, changesIn(form, values), (body) =>
      call<typeof updateTeam>({ method: "PATCH", path: "/team", body }),
    )
    queries.setQueryData(["team"], saved)
    const { name, trackOpens, trackClicks } = saved
    form.reset({ name, postalAddress: saved.postalAddress ?? "", trackOpens, trackClicks })
    await refresh("session")
    say("Settings saved")
  }
  return (
    <div className="grid items-start gap-8 lg:grid-cols-2">
      <Form guard form={form} submit="Save settings" onSubmit={save}>
        <TextField label="Team name" {...fieldOf(form, "name")} autoComplete="off" />
        <TextAreaField
          optional
          label="Postal address"
          hint="Shown in the footer of every campaign. Many countries require it in marketing email."
          {...fieldOf(form, "postalAddress")}
          rows={4}
          autoComplete="off"
        />
        <Switch
          label="Track opens"
          hint="Adds an invisible image to HTML emails. You can override this per email."
          checked={shown.trackOpens}
          onChange={(on) => form.setValue("trackOpens", on, { shouldDirty: true })}
        />
        <Switch
          label="Track clicks"
          hint="Links in HTML emails are redirected through this installation."
          checked={shown.trackClicks}
          onChange={(on) => form.setValue("trackClicks", on, { shouldDirty: true })}
        />
      </Form>
      <Suspense fallback={<Skeleton />}>
        <SenderPreview name={shown.name} postalAddress={shown.postalAddress.trim() || null} />
      </Suspense>
    </div>
  )
}
