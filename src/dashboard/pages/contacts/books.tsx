import { useNavigate } from "@tanstack/react-router"
import { Suspense } from "react"
import type { ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { type Column, CREATED, List } from "../../ui/list/list.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Time } from "../../ui/time/time.tsx"

const BookDialog = lazy(() => import("./book-dialog.tsx"))

const COLUMNS: readonly Column<ContactBook>[] = [
  {
    head: "Book",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/contacts/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: ({ defaultFrom, createdAt }) => defaultFrom ?? <Time at={createdAt} />,
  },
  {
    head: "Default sender",
    width: "minmax(0, 2fr)",
    cell: ({ defaultFrom }) => defaultFrom ?? "–",
  },
  {
    head: "Contacts",
    width: "90px",
    right: true,
    cell: ({ contactCount }) => number(contactCount),
  },
  {
    head: "Subscribed",
    width: "90px",
    right: true,
    phone: true,
    cell: ({ subscribedCount }) => number(subscribedCount),
  },
  CREATED,
]

const FIRST = requestOf("POST", "/contact-books", "contactBooks.create", { name: "Newsletter" })

export default function Books() {
  const [filters, setFilters] = useFilters()
  const may = useMay()
  const navigate = useNavigate()
  const pages = usePages(["contact-books"], (query) => api.contactBooks.list(query))
  const create = may.manage && <NewButton>Create book</NewButton>
  return (
    <Page
      title="Contacts"
      about="A contact book is a list of people who agreed to receive your campaigns."
      actions={
        <>
          {create}
          <ListAsRequest path="/contact-books" of="contactBooks" />
        </>
      }
    >
      <List
        {...pages}
        label="Contact books"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/contacts/${id}`}
        empty={
          <FirstCall title="No contact books yet" request={FIRST} refetch={pages.refetch}>
            <p>Create a book, then add people one by one, from a CSV file or with the API.</p>
          </FirstCall>
        }
      />
      <Suspense>
        {filters.new === "true" && may.manage && (
          <BookDialog
            onClose={() => setFilters({ new: undefined })}
            onSaved={({ id }) => void navigate({ to: `/contacts/${id}`, replace: true })}
          />
        )}
      </Suspense>
    </Page>
  )
}
