import { useQuery } from "@tanstack/react-query"
import { Suspense, useMemo } from "react"
import type { Form } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { booksQuery } from "../campaigns/data.ts"
import { medianOf, shareOf, stateOf } from "./data.ts"

const NewForm = lazy(() => import("./new-form.tsx"))

const columnsOf = (books: ReadonlyMap<string, string>): Column<Form>[] => [
  {
    head: "Form",
    width: "minmax(0, 3fr)",
    cell: ({ id, name }) => (
      <Link to={`/forms/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: ({ counts }) => `${number(counts.asked)} asked, ${number(counts.confirmed)} confirmed`,
  },
  { head: "Contact book", width: "minmax(0, 2fr)", cell: ({ bookId }) => books.get(bookId) },
  {
    head: "State",
    width: "88px",
    phone: true,
    cell: (form) => <Badge {...stateOf(form)} />,
  },
  { head: "Asked", width: "80px", right: true, cell: ({ counts }) => number(counts.asked) },
  {
    head: "Confirmed",
    width: "128px",
    right: true,
    cell: (form) => (
      <>
        {number(form.counts.confirmed)} <span className="text-xs text-muted">{shareOf(form)}</span>
      </>
    ),
  },
  { head: "Confirmed after", width: "112px", right: true, cell: (form) => medianOf(form) ?? "–" },
]

export default function Forms() {
  const [{ new: isNew }, setFilters] = useFilters()
  const { manage } = useMay()
  const pages = usePages(["forms"], (query, options) => api.forms.list(query, options))
  const { data: books } = useQuery(booksQuery)
  const columns = useMemo(
    () => columnsOf(new Map(books?.map(({ id, name }) => [id, name]))),
    [books],
  )
  const create = manage && <NewButton>Create form</NewButton>
  return (
    <Page
      title="Forms"
      about="People subscribe to a contact book and confirm by email."
      actions={
        <>
          {pages.rows.length > 0 && create}
          <ListAsRequest path="/forms" />
        </>
      }
    >
      <List
        {...pages}
        label="Forms"
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => `/forms/${id}`}
        empty={<FirstForm books={books ?? []} create={create} refetch={pages.refetch} />}
      />
      <Suspense>
        {isNew && manage && <NewForm onClose={() => setFilters({ new: undefined })} />}
      </Suspense>
    </Page>
  )
}

interface FirstProps {
  books: readonly { id: string; defaultFrom: string | null }[]
  create: React.ReactNode
  refetch(): unknown
}

function FirstForm({ books, create, refetch }: FirstProps) {
  const book = books.find(({ defaultFrom }) => defaultFrom !== null)
  const about = (
    <>
      <p>A form has a hosted page, and plain HTML for your own site. It needs no script.</p>
      <div>{create}</div>
    </>
  )
  if (!book) return <Empty title="No forms yet">{about}</Empty>
  const json = {
    bookId: book.id,
    name: "Newsletter",
    wording: "Send me the newsletter. I can unsubscribe at any time.",
  }
  return (
    <FirstCall
      title="No forms yet"
      request={requestOf("POST", "/forms", "forms.create", json)}
      refetch={refetch}
    >
      {about}
    </FirstCall>
  )
}
