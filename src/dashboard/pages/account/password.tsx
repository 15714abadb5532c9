import { useState } from "react"
import type { changePassword } from "../../../worker/access/people/profile-contract.ts"
import { call, callAuth } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { TaskButton } from "../../ui/task-button.tsx"
import { say } from "../../ui/toast.tsx"
import { NewPassword } from "../sign-in/new-password.tsx"
import type { Profile } from "./profile.ts"

export function Password({ profile }: { profile: Profile }) {
  const about = profile.hasPassword
    ? "Changing it ends your other sessions."
    : "You have no password yet."
  return (
    <Section title="Password" about={about}>
      <Card>
        {profile.hasPassword ? <ChangePassword /> : <FirstPassword email={profile.user.email} />}
      </Card>
    </Section>
  )
}

const loadSchema = async () =>
  (await import("../../../worker/access/people/profile-contract.ts")).changePassword.json

const EMPTY = { currentPassword: "", newPassword: "" }

function ChangePassword() {
  const form = useSchemaForm(loadSchema, EMPTY)
  const save = async (body: typeof EMPTY) => {
    await call<typeof changePassword>({ method: "POST", path: "/profile/password", body })
    form.reset(EMPTY)
    await refresh("sessions")
    say("Password changed")
  }
  return (
    <Form kind="plain" form={form} submit="Change password" onSubmit={save}>
      <TextField
        label="Current password"
        {...fieldOf(form, "currentPassword")}
        type="password"
        autoComplete="current-password"
      />
      <NewPassword label="New password" {...fieldOf(form, "newPassword")} />
    </Form>
  )
}

function FirstPassword({ email }: { email: string }) {
  const [sent, setSent] = useState(false)
  const send = () =>
    callAuth({ method: "POST", path: "/password-reset", body: { email } }).then(() => setSent(true))
  if (sent) return <p className="wrap-anywhere">We emailed a link to {email}.</p>
  return <TaskButton run={send}>Email me a link to set a password</TaskButton>
}
