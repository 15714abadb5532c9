import type { ComponentProps } from "react"
import { NEW_PASSWORD_RULE } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { TextField } from "../../ui/form/field.tsx"

/** A field for a password that is chosen now; the rule is that of the contract. */
export const NewPassword = (field: ComponentProps<typeof TextField>) => (
  <TextField
    {...field}
    hint={NEW_PASSWORD_RULE}
    type="password"
    autoComplete="new-password"
    required
  />
)
