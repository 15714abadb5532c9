import type { ComponentProps } from "react"
import { TextAreaField, TextField } from "../../ui/field.tsx"

interface Error {
  error: string | undefined
}

export const NameField = ({ error, ...input }: ComponentProps<"input"> & Error) => (
  <TextField label="Name" hint="Shown as the page's heading." error={error} {...input} />
)

export const WordingField = ({ error, ...input }: ComponentProps<"textarea"> & Error) => (
  <TextAreaField
    label="Wording"
    hint="What people agree to. It is kept with each confirmation."
    error={error}
    {...input}
  />
)
