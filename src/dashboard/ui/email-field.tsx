import type { ComponentProps } from "react"
import type { UseFormRegisterReturn } from "react-hook-form"
import { Field, TextInput } from "./field.tsx"

interface EmailFieldProps extends Omit<ComponentProps<typeof TextInput>, "type"> {
  input: UseFormRegisterReturn
  error: string | undefined
}

export const EmailField = ({ input, error, ...more }: EmailFieldProps) => (
  <Field label="Email" error={error}>
    {(control) => <TextInput {...control} {...input} {...more} type="email" />}
  </Field>
)
