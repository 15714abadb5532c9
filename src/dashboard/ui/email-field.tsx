import type { ComponentProps } from "react"
import type { UseFormRegisterReturn } from "react-hook-form"
import { TextField, type TextInput } from "./field.tsx"

interface EmailFieldProps extends Omit<ComponentProps<typeof TextInput>, "type"> {
  input: UseFormRegisterReturn
  error: string | undefined
}

export const EmailField = ({ input, error, ...more }: EmailFieldProps) => (
  <TextField label="Email" error={error} {...input} {...more} type="email" />
)
