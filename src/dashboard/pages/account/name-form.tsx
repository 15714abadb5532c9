import type { updateProfile } from "../../../worker/access/people/profile-contract.ts"
import { call } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { say } from "../../ui/toast.tsx"

const loadSchema = async () =>
  (await import("../../../worker/access/people/profile-contract.ts")).updateProfile.json

export function NameForm({ name }: { name: string }) {
  const form = useSchemaForm(loadSchema, { name })
  const save = async (body: { name: string }) => {
    const saved = await call<typeof updateProfile>({ method: "PATCH", path: "/profile", body })
    form.reset({ name: saved.name })
    await refresh("profile", "session")
    say("Name saved")
  }
  return (
    <Section title="Name" about="Shown to your teams and in the audit log.">
      <Card>
        <Form guard kind="plain" form={form} submit="Save name" onSubmit={save}>
          <TextField label="Your name" {...fieldOf(form, "name")} autoComplete="name" />
        </Form>
      </Card>
    </Section>
  )
}
