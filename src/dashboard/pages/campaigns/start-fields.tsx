import type { UseFormRegisterReturn } from "react-hook-form"
import type { ContactBook, Domain } from "../../../client/types.ts"
import { Field, TextInput } from "../../ui/field.tsx"
import { counted } from "../../ui/numbers.ts"
import { Select } from "../../ui/select.tsx"

interface BookProps {
  books: readonly ContactBook[]
  value: string
  hint?: string
  error: string | undefined
  onChange(bookId: string, defaultFrom: string | null): void
}

/** The book of a new campaign, sequence or form. */
export const BookField = ({ books, value, hint, error, onChange }: BookProps) => (
  <Field label="Contact book" hint={hint} error={error}>
    {(control) => (
      <Select
        {...control}
        value={value}
        onChange={(bookId) =>
          onChange(bookId, books.find(({ id }) => id === bookId)?.defaultFrom ?? null)
        }
        options={books.map(({ id, name, subscribedCount }) => [
          id,
          `${name} (${counted(subscribedCount, "subscriber")})`,
        ])}
      />
    )}
  </Field>
)

interface SenderProps {
  domains: readonly Domain[]
  input: UseFormRegisterReturn
  error: string | undefined
}

export const SenderField = ({ domains, input, error }: SenderProps) => (
  <Field
    label="From"
    hint={`An address on ${domains.map(({ name }) => name).join(" or ")}.`}
    error={error}
  >
    {(control) => <TextInput {...control} {...input} />}
  </Field>
)
