import type { UseFormRegisterReturn } from "react-hook-form"
import { newPassword } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { Field, TextInput } from "../../ui/field.tsx"

/** A field for a password that is chosen now; the rule comes from the contract. */
export function NewPassword({
  label,
  input,
  error,
}: {
  label: string
  input: UseFormRegisterReturn
  error: string | undefined
}) {
  return (
    <Field label={label} hint={newPassword.description} error={error}>
      {(control) => (
        <TextInput {...control} {...input} type="password" autoComplete="new-password" required />
      )}
    </Field>
  )
}
