import type { UseFormRegisterReturn } from "react-hook-form"
import { NEW_PASSWORD_RULE } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { TextField } from "../../ui/field.tsx"

/** A field for a password that is chosen now; the rule is that of the contract. */
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
    <TextField
      label={label}
      hint={NEW_PASSWORD_RULE}
      error={error}
      {...input}
      type="password"
      autoComplete="new-password"
      required
    />
  )
}
