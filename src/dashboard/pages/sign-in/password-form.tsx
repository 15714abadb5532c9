import type { signInWithPassword } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"

const loadSchema = async () =>
  (await import("../../../worker/access/people/sign-in/visitors-contract.ts")).signInWithPassword
    .json

interface Props {
  /** Only this person may sign in. An invitation needs this. */
  email?: string
  onSignedIn(): unknown
  /** The person has an authenticator app: its code is missing. */
  onCodeNeeded(): void
}

export function PasswordForm({ email, onSignedIn, onCodeNeeded }: Props) {
  const form = useSchemaForm(loadSchema, { email: email ?? "", password: "" })
  return (
    <Form
      wide
      form={form}
      submit="Sign in"
      onSubmit={async (body) => {
        const { user } = await callAuth<ReplyOf<typeof signInWithPassword>>({
          method: "POST",
          path: "/sign-in/email",
          body,
        })
        await (user ? onSignedIn() : onCodeNeeded())
      }}
    >
      <TextField
        label="Email"
        type="email"
        {...fieldOf(form, "email")}
        autoComplete="username"
        readOnly={email !== undefined}
        autoFocus={email === undefined}
        required
      />
      <TextField
        label="Password"
        {...fieldOf(form, "password")}
        type="password"
        autoComplete="current-password"
        autoFocus={email !== undefined}
        required
      />
    </Form>
  )
}
