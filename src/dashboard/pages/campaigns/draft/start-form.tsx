import type { ReactNode } from "react"
import type { UseFormReturn } from "react-hook-form"
import type { ContactBook, Domain } from "../../../../client/types.ts"
import { useFilters } from "../../../app/params.ts"
import { useSession } from "../../../app/people.ts"
import { TextField } from "../../../ui/form/field.tsx"
import { Form, fieldOf } from "../../../ui/form/form.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { counted } from "../../../ui/numbers.ts"
import { Card } from "../../../ui/page.tsx"
import { requestOf } from "../../../ui/request/request-of.ts"
import { domainOfSender } from "../data.ts"

interface BookProps {
  books: readonly ContactBook[]
  value: string
  hint?: string | undefined
  error: string | undefined
  onChange(bookId: string, defaultFrom: string | null): void
}

/** The book of a new campaign, sequence or form. */
export const BookField = ({ books, value, hint, error, onChange }: BookProps) => (
  <SelectField
    label="Contact book"
    hint={hint}
    error={error}
    value={value}
    onChange={(bookId) =>
      onChange(bookId, books.find(({ id }) => id === bookId)?.defaultFrom ?? null)
    }
    options={books.map(({ id, name, subscribedCount }) => [
      id,
      `${name} (${counted(subscribedCount, "subscriber")})`,
    ])}
  />
)

export interface Found {
  books: readonly ContactBook[]
  domains: readonly Domain[]
}

interface Start {
  name: string
  bookId: string
  from: string
}

/** What a new campaign or sequence begins with: the book that the URL names, and its sender. */
export function useStart({ books, domains }: Found): Start {
  const { team } = useSession()
  const [{ bookId }] = useFilters()
  const book = books.find(({ id }) => id === bookId) ?? (books[0] as ContactBook)
  const from = book.defaultFrom ?? `${team.name} <news@${domains[0]?.name}>`
  return { name: "", bookId: book.id, from }
}

/** The domain to send from. The API refuses a sender of none of them. */
export const domainIdOf = (from: string, domains: readonly Domain[]): string =>
  (domainOfSender(from, domains) ?? (domains[0] as Domain)).id

interface StartProps<T extends Start> extends Found {
  /** As in the API's paths and in the library. */
  noun: "campaigns" | "sequences"
  form: UseFormReturn<T>
  input: object
  onSubmit(values: T): Promise<unknown>
  bookHint?: string
  children?: ReactNode
}

/** A new campaign or sequence. The children are fields after those of both. */
export function StartForm<T extends Start>(props: StartProps<T>) {
  const { books, domains, noun, form, input, onSubmit, bookHint, children } = props
  const fields = form as unknown as UseFormReturn<Start>
  return (
    <Card>
      <Form
        guard
        form={form}
        submit="Create draft"
        onSubmit={onSubmit}
        request={requestOf("POST", `/${noun}`, `${noun}.create`, input)}
      >
        <TextField
          label="Name"
          hint="Only your team sees it."
          {...fieldOf(fields, "name")}
          autoFocus
        />
        <BookField
          books={books}
          value={fields.watch("bookId")}
          hint={bookHint}
          error={fields.formState.errors.bookId?.message}
          onChange={(bookId, defaultFrom) => {
            fields.setValue("bookId", bookId, { shouldDirty: true })
            if (defaultFrom) fields.setValue("from", defaultFrom)
          }}
        />
        <TextField
          label="From"
          hint={`An address on ${domains.map(({ name }) => name).join(" or ")}.`}
          {...fieldOf(fields, "from")}
        />
        {children}
      </Form>
    </Card>
  )
}
