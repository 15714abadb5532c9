import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { ContactBook } from "../../../client/types.ts"
import { createForm } from "../../../worker/forms/contract.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { booksQuery } from "../campaigns/data.ts"
import { BookField } from "../campaigns/draft/start-form.tsx"
import { NameField, WordingField } from "./text-fields.tsx"

export default function NewForm({ onClose }: { onClose(): void }) {
  const books = useQuery(booksQuery)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Create form"
      description="Next, choose its fields and see its page."
    >
      <Loaded query={books}>
        {(books) =>
          books.length > 0 ? (
            <Start books={books} />
          ) : (
            <p>
              <Link to="/contacts?new=true" className="underline underline-offset-2">
                Create a contact book
              </Link>{" "}
              first.
            </p>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function Start({ books }: { books: readonly ContactBook[] }) {
  const navigate = useNavigate()
  const first = books.find(({ defaultFrom }) => defaultFrom !== null) ?? books[0]
  const form = useSchemaForm(createForm.json, {
    name: "",
    bookId: first?.id ?? "",
    wording: "Send me the newsletter. I can unsubscribe at any time.",
  })
  const { errors } = form.formState
  const values = form.watch()
  const book = books.find(({ id }) => id === values.bookId)
  return (
    <Form
      guard
      form={form}
      submit="Create form"
      request={requestOf("POST", "/forms", "forms.create", values)}
      onSubmit={async (input) => {
        const { id } = await api.forms.create(input)
        void refresh("forms")
        await navigate({ href: `/dashboard/forms/${id}`, replace: true })
      }}
    >
      <NameField {...fieldOf(form, "name")} placeholder="Monthly newsletter" autoFocus />
      <BookField
        books={books}
        value={values.bookId}
        error={errors.bookId?.message}
        onChange={(id) => form.setValue("bookId", id, { shouldDirty: true })}
      />
      {book?.defaultFrom === null && (
        <p role="status" className="text-delayed">
          Confirmation emails need a default sender.{" "}
          <Link to={`/contacts/${book.id}`} className="underline underline-offset-2">
            Add one in the book
          </Link>
        </p>
      )}
      <WordingField {...fieldOf(form, "wording")} />
    </Form>
  )
}
