import { useMemo } from "react"
import type { Contact, ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { type Filters, useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { SearchField } from "../../ui/list/search-field.tsx"
import { SelectionBar, useSelection, withSelection } from "../../ui/list/selection.tsx"
import { Select } from "../../ui/menu/select.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { requestOf } from "../../ui/request/request-of.ts"
import { Time } from "../../ui/time/time.tsx"
import { ContactActions } from "./contact/contact-actions.tsx"

const MAX_SEARCH_CHARACTERS = 120

/** The contacts of a book, with a search by the start of an address or a name. */
export function Contacts({ book }: { book: ContactBook }) {
  const may = useMay()
  const [filters, setFilters] = useFilters()
  const { q = "", subscribed = "" } = filters
  const pages = usePages(["contacts", book.id, { q, subscribed }], (query) =>
    api.contacts.list(book.id, {
      ...query,
      ...(q && { q }),
      ...(subscribed && { subscribed: subscribed === "true" }),
    }),
  )
  const isEmpty = pages.isSuccess && pages.rows.length === 0 && !q && !subscribed
  const toContact = useMemo(() => linkTo(book.id, { q, subscribed }), [book.id, q, subscribed])
  const selection = useSelection(pages.rows)
  const columns = useMemo(() => {
    const columns = columnsOf(toContact)
    return may.manage ? withSelection(columns, selection, ({ email }) => email) : columns
  }, [may.manage, toContact, selection])
  return (
    <>
      {!isEmpty && (
        <div className="flex flex-wrap gap-3">
          <SearchField
            label="Search contacts"
            placeholder="Search by address or name"
            className="sm:max-w-80"
            maxLength={MAX_SEARCH_CHARACTERS}
          />
          <Select
            aria-label="Consent"
            className="max-w-48"
            value={subscribed}
            onChange={(subscribed) => setFilters({ subscribed })}
            options={[
              ["", "All contacts"],
              ["true", "Subscribed"],
              ["false", "Unsubscribed"],
            ]}
          />
        </div>
      )}
      <List
        {...pages}
        label="Contacts"
        columns={columns}
        rowKey={({ id }) => id}
        href={toContact}
        empty={
          q || subscribed ? (
            <Empty title="No matches">
              <p>Search matches the start of an address, first name or last name.</p>
            </Empty>
          ) : (
            <FirstCall
              title="No contacts yet"
              request={firstContact(book.id)}
              refetch={pages.refetch}
            >
              {may.manage ? (
                <p>
                  Add one,{" "}
                  <Link to={`/contacts/${book.id}/import`} className="underline">
                    import a CSV file
                  </Link>
                  , or call the API from your sign-up form.
                </p>
              ) : (
                <p>Owners and admins can add and import contacts.</p>
              )}
            </FirstCall>
          )
        }
      />
      <SelectionBar selection={selection} noun="contact">
        {(rows) => <ContactActions contacts={rows} />}
      </SelectionBar>
    </>
  )
}

function firstContact(bookId: string): AsRequest {
  const json = { email: "ada@example.com", firstName: "Ada", properties: { city: "London" } }
  return requestOf("POST", `/contact-books/${bookId}/contacts`, "contacts.create", bookId, json)
}

const linkTo =
  (bookId: string, filters: Filters) =>
  ({ id }: Contact) => {
    const kept = Object.entries({ ...filters, contact: id }).filter(([, value]) => value)
    return `/contacts/${bookId}?${new URLSearchParams(kept as [string, string][])}`
  }

const nameOf = ({ firstName, lastName }: Contact) => [firstName, lastName].filter(Boolean).join(" ")

export const columnsOf = (toContact: (contact: Contact) => string): readonly Column<Contact>[] => [
  {
    head: "Address",
    width: "minmax(0, 3fr)",
    cell: (contact) => (
      <Link to={toContact(contact)} className="font-medium">
        {contact.email}
      </Link>
    ),
    below: nameOf,
  },
  { head: "Name", width: "minmax(0, 2fr)", cell: nameOf },
  {
    head: "Consent",
    width: "minmax(110px, 1fr)",
    phone: true,
    cell: ({ subscribed }) =>
      subscribed ? <Badge state="subscribed" /> : <Badge state="waiting" label="Unsubscribed" />,
  },
  {
    head: "Properties",
    width: "minmax(0, 3fr)",
    cell: ({ properties }) => (
      <span className="text-muted">
        {Object.entries(properties)
          .slice(0, 5)
          .map(([name, value]) => `${name}: ${value}`)
          .join(", ")}
      </span>
    ),
  },
  {
    head: "Added",
    width: "110px",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]
