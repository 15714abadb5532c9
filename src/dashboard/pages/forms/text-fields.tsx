import type { ComponentProps } from "react"
import { TextAreaField, TextField } from "../../ui/form/field.tsx"

export const NameField = (field: Omit<ComponentProps<typeof TextField>, "label">) => (
  <TextField label="Name" hint="Shown as the page's heading." {...field} />
)

export const WordingField = (field: Omit<ComponentProps<typeof TextAreaField>, "label">) => (
  <TextAreaField
    label="Wording"
    hint="What people agree to. It is kept with each confirmation."
    {...field}
  />
)
