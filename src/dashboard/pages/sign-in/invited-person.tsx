import { useState } from "react"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import type { Accept } from "./invitation.tsx"
import { NewPassword } from "./new-password.tsx"
import { OtherWays, onlyPasskey, useMethods } from "./other-ways.tsx"
import { PasswordForm } from "./password-form.tsx"
import { SecondStep } from "./second-step.tsx"

/** Signs in first. */
export function KnownPerson({ email, onSignedIn }: { email: string; onSignedIn(): unknown }) {
  const methods = useMethods()
  const [codeNeeded, setCodeNeeded] = useState(false)
  if (codeNeeded) {
    return <SecondStep onSignedIn={onSignedIn} onBack={() => setCodeNeeded(false)} />
  }
  return (
    <div className="grid gap-4">
      <p>Sign in to join.</p>
      <PasswordForm
        email={email}
        onSignedIn={onSignedIn}
        onCodeNeeded={() => setCodeNeeded(true)}
      />
      {methods.data?.passkey && <OtherWays methods={onlyPasskey(true)} onSignedIn={onSignedIn} />}
    </div>
  )
}

const loadSchema = async () => {
  const { acceptInvitation } = await import(
    "../../../worker/access/people/sign-in/visitors-contract.ts"
  )
  return acceptInvitation.json.pick({ name: true, password: true }).required()
}

/** Chooses a password, or signs in through a provider that has verified the invited address. */
export function NewPerson({ email, accept }: { email: string; accept: Accept }) {
  const form = useSchemaForm(loadSchema, { name: "", password: "" })
  const methods = useMethods()
  return (
    <div className="grid gap-4">
      <Form wide form={form} submit="Join team" onSubmit={(person) => accept(person)}>
        <TextField label="Email" value={email} readOnly type="email" autoComplete="username" />
        <TextField label="Your name" {...fieldOf(form, "name")} autoComplete="name" required />
        <NewPassword label="Password" {...fieldOf(form, "password")} />
      </Form>
      {methods.data && (
        <OtherWays methods={{ ...methods.data, passkey: false }} onSignedIn={() => undefined} />
      )}
    </div>
  )
}
