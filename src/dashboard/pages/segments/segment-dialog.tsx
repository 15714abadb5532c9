import { useQuery } from "@tanstack/react-query"
import { Controller } from "react-hook-form"
import type { CreateSegmentInput, Segment } from "../../../client/types.ts"
import { createSegment } from "../../../worker/segments/contract.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { changesIn, requestBody, saveChanges } from "../../ui/changes.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { Empty } from "../../ui/empty.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { saveRequest } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { booksQuery } from "../campaigns/data.ts"
import { newCondition, toDraft, toFilter } from "./draft.ts"
import { FilterField } from "./filter-field.tsx"

interface Props {
  /** Without one, a segment is created. */
  segment?: Segment
  /** The book that the form begins with. */
  bookId?: string | undefined
  onClose(): void
  onSaved?(segment: Segment): void
}

/** Creates a segment, or changes the one given. */
export default function SegmentDialog(props: Props) {
  const books = useQuery(booksQuery)
  return (
    <Dialog
      open
      wide
      onOpenChange={props.onClose}
      title={props.segment ? "Edit segment" : "Create segment"}
    >
      <Loaded query={books}>
        {(books) =>
          books.length === 0 ? (
            <Empty title="A segment needs a contact book">
              <p>
                <Link to="/contacts?new=true" className="underline">
                  Create a contact book
                </Link>{" "}
                first.
              </p>
            </Empty>
          ) : (
            <SegmentForm {...props} books={books.map(({ id, name }) => [id, name] as const)} />
          )
        }
      </Loaded>
    </Dialog>
  )
}

const START = toFilter({ key: 0, isAny: false, items: [newCondition()] })

function SegmentForm({
  segment,
  bookId,
  books,
  onClose,
  onSaved,
}: Props & { books: readonly (readonly [id: string, name: string])[] }) {
  // What the fields make of the conditions: an untouched filter is not sent, so not counted again.
  const filter = segment ? toFilter(toDraft(segment.filter)) : START
  const form = useSchemaForm<CreateSegmentInput>(createSegment.json, {
    name: segment?.name ?? "",
    bookId: segment?.bookId ?? books.find(([id]) => id === bookId)?.[0] ?? books[0]?.[0] ?? "",
    filter: filter as CreateSegmentInput["filter"],
  })
  const { errors } = form.formState
  const values = form.watch()
  const { name, filter: conditions } = values
  const shown = segment
    ? requestBody(changesIn(form, values), { name, filter: conditions })
    : values
  return (
    <Form
      guard
      form={form}
      submit={segment ? "Save" : "Create segment"}
      request={saveRequest("/segments", "segments", segment, shown)}
      onSubmit={async (input) => {
        const saved = segment
          ? await saveChanges(segment, changesIn(form, input), (changes) =>
              api.segments.update(segment.id, changes),
            )
          : await api.segments.create(input)
        void refresh("segments")
        say(segment ? "Segment saved" : "Segment created")
        onClose()
        onSaved?.(saved)
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Only your team sees it."
          {...fieldOf(form, "name")}
          autoFocus
        />
        {!segment && (
          <Controller
            control={form.control}
            name="bookId"
            render={({ field, fieldState }) => (
              <SelectField
                label="Contact book"
                error={fieldState.error?.message}
                value={field.value}
                onChange={field.onChange}
                options={books}
              />
            )}
          />
        )}
      </div>
      <Controller
        control={form.control}
        name="filter"
        render={({ field }) => (
          <FilterField
            counts
            bookId={values.bookId}
            value={field.value}
            onChange={field.onChange}
            error={errors.filter && (errors.filter.message ?? "Check the conditions")}
          />
        )}
      />
    </Form>
  )
}
