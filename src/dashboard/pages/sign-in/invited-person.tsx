import { useQuery } from "@tanstack/react-query"
import { acceptInvitation } from "../../../people/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import type { Accept } from "./invitation.tsx"
import { NewPassword } from "./new-password.tsx"
import { type Methods, OtherWays } from "./other-ways.tsx"
import { PasswordForm } from "./password-form.tsx"

/** Signs in first. */
export function KnownPerson({ email, onSignedIn }: { email: string; onSignedIn(): unknown }) {
  const methods = useQuery({
    queryKey: ["methods"],
    queryFn: () => callAuth<Methods>({ method: "GET", path: "/methods" }),
  })
  return (
    <div className="grid gap-4">
      <p>You have an account. Sign in to join.</p>
      <PasswordForm email={email} onSignedIn={onSignedIn} />
      {methods.data?.passkey && (
        <OtherWays
          methods={{ ...methods.data, google: false, github: false }}
          onSignedIn={onSignedIn}
        />
      )}
    </div>
  )
}

const person = acceptInvitation.json.pick({ name: true, password: true }).required()

export function NewPerson({ email, accept }: { email: string; accept: Accept }) {
  const form = useSchemaForm(person, { name: "", password: "" })
  const { errors } = form.formState
  return (
    <Form wide form={form} submit="Join the team" onSubmit={(person) => accept(person)}>
      <Field label="Email">
        {(control) => (
          <TextInput {...control} value={email} readOnly type="email" autoComplete="username" />
        )}
      </Field>
      <Field label="Your name" error={errors.name?.message}>
        {(control) => (
          <TextInput {...control} {...form.register("name")} autoComplete="name" required />
        )}
      </Field>
      <NewPassword
        label="Password"
        input={form.register("password")}
        error={errors.password?.message}
      />
    </Form>
  )
}
