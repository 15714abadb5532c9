import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { ContactBook } from "../../../client/types.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters, useParam } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { buttonClass } from "../../ui/button.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { counted, number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { LoadedPage } from "../../ui/waiting.tsx"
import { Contacts } from "./contact-list.tsx"
import { bookQuery } from "./data.ts"

const BookDialog = lazy(() => import("./book-dialog.tsx"))
const ContactDialog = lazy(() => import("./contact/contact-dialog.tsx"))
const DeleteBook = lazy(() => import("./delete-book.tsx"))
const ExportDialog = lazy(() => import("./export-dialog.tsx"))

export default function BookPage() {
  const query = useQuery(bookQuery(useParam("id")))
  return (
    <LoadedPage query={query} title="Contact book" above={<Link to="/contacts">Contacts</Link>}>
      {(book) => <Book key={book.id} book={book} />}
    </LoadedPage>
  )
}

function Book({ book }: { book: ContactBook }) {
  const [{ contact, new: adding }, setFilters] = useFilters()
  const [dialog, setDialog] = useState<"change" | "delete" | "export" | null>(null)
  const may = useMay()
  const close = () => setDialog(null)
  return (
    <Page
      title={book.name}
      above={<Link to="/contacts">Contacts</Link>}
      about={
        <span className="flex flex-wrap items-center gap-x-4">
          <span>
            {counted(book.contactCount, "contact")}, {number(book.subscribedCount)} subscribed
          </span>
          {book.defaultFrom && <span>{book.defaultFrom}</span>}
          <Mono text={book.id} copy />
        </span>
      }
      actions={
        <>
          {may.manage && (
            <>
              <NewButton>Add contact</NewButton>
              <Link to={`/contacts/${book.id}/import`} className={buttonClass()}>
                Import
              </Link>
            </>
          )}
          <MoreMenu
            deletion={false}
            request={{
              method: "GET",
              path: `/contact-books/${book.id}/contacts`,
              library: `for await (const contact of edgepost.contacts.iterate("${book.id}")) console.log(contact.email)`,
            }}
            items={[
              { label: "Export as CSV", onSelect: () => setDialog("export") },
              may.manage && { label: "Edit book", onSelect: () => setDialog("change") },
              may.manage && {
                label: "Delete book",
                danger: true,
                onSelect: () => setDialog("delete"),
              },
            ]}
          />
        </>
      }
    >
      <Contacts book={book} />
      <Suspense>
        {dialog === "change" && <BookDialog book={book} onClose={close} />}
        {dialog === "delete" && <DeleteBook book={book} onClose={close} />}
        {dialog === "export" && <ExportDialog book={book} onClose={close} />}
        {adding === "true" && may.manage && (
          <ContactDialog bookId={book.id} onClose={() => setFilters({ new: undefined })} />
        )}
        {contact && (
          <ContactDialog
            key={contact}
            bookId={book.id}
            id={contact}
            onClose={() => setFilters({ contact: undefined })}
          />
        )}
      </Suspense>
    </Page>
  )
}
