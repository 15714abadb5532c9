import type { ContactBook } from "../../../client/types.ts"
import { createContactBook } from "../../../worker/contacts/contract.ts"
import { api } from "../../api/api.ts"
import { changesIn, requestBody, saveChanges } from "../../ui/changes.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { saveRequest } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { refreshContacts } from "./data.ts"

/** Creates a book, or changes the one given. */
export default function BookDialog({
  book,
  onClose,
  onSaved,
}: {
  book?: ContactBook
  onClose(): void
  onSaved?(book: ContactBook): void
}) {
  const form = useSchemaForm(createContactBook.json, {
    name: book?.name ?? "",
    defaultFrom: book?.defaultFrom ?? "",
  })
  const toSend = ({ name, defaultFrom }: { name: string; defaultFrom: string | null }) => ({
    name,
    defaultFrom: defaultFrom || null,
  })
  const shown = form.watch()
  const whole = toSend(shown)
  const values = book ? requestBody(changesIn(form, shown, toSend), whole) : whole
  const submit = book ? "Save" : "Create book"
  return (
    <Dialog open onOpenChange={onClose} title={book ? "Edit contact book" : "Create contact book"}>
      <Form
        guard
        form={form}
        submit={submit}
        request={saveRequest("/contact-books", "contactBooks", book, values)}
        onSubmit={async (input) => {
          const saved = book
            ? await saveChanges(book, changesIn(form, input, toSend), (changes) =>
                api.contactBooks.update(book.id, changes),
              )
            : await api.contactBooks.create(toSend(input))
          refreshContacts()
          say(book ? "Saved" : "Book created")
          onClose()
          onSaved?.(saved)
        }}
      >
        <TextField label="Name" {...fieldOf(form, "name")} autoFocus />
        <TextField
          label="Default sender"
          optional
          hint="Used for new campaigns to this book, such as News <news@your-domain.com>"
          {...fieldOf(form, "defaultFrom", { setValueAs: (text) => text || null })}
        />
      </Form>
    </Dialog>
  )
}
