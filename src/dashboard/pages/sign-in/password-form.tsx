import { signInWithPassword } from "../../../worker/access/people/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { EmailField } from "../../ui/email-field.tsx"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"

/** With `email`, only that person may sign in. An invitation needs this. */
export function PasswordForm({ email, onSignedIn }: { email?: string; onSignedIn(): unknown }) {
  const form = useSchemaForm(signInWithPassword.json, { email: email ?? "", password: "" })
  const { errors } = form.formState
  return (
    <Form
      wide
      form={form}
      submit="Sign in"
      onSubmit={async (body) => {
        await callAuth({ method: "POST", path: "/sign-in/email", body })
        await onSignedIn()
      }}
    >
      <EmailField
        input={form.register("email")}
        error={errors.email?.message}
        autoComplete="username"
        readOnly={email !== undefined}
        autoFocus={email === undefined}
        required
      />
      <Field label="Password" error={errors.password?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...form.register("password")}
            type="password"
            autoComplete="current-password"
            autoFocus={email !== undefined}
            required
          />
        )}
      </Field>
    </Form>
  )
}
