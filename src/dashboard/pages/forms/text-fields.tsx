import type { ComponentProps } from "react"
import { Field, TextArea, TextInput } from "../../ui/field.tsx"

interface Error {
  error: string | undefined
}

export const NameField = ({ error, ...input }: ComponentProps<"input"> & Error) => (
  <Field label="Name" hint="Shown as the page's heading." error={error}>
    {(control) => <TextInput {...control} {...input} />}
  </Field>
)

export const WordingField = ({ error, ...input }: ComponentProps<"textarea"> & Error) => (
  <Field
    label="Wording"
    hint="What people agree to. It is kept with each confirmation."
    error={error}
  >
    {(control) => <TextArea {...control} {...input} />}
  </Field>
)
