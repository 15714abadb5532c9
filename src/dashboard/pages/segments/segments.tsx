import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Suspense, useEffect, useMemo } from "react"
import type { Segment } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { NewButton } from "../../app/new-button.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Empty } from "../../ui/empty.tsx"
import { type Column, CREATED, List } from "../../ui/list/list.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { booksQuery } from "../campaigns/data.ts"
import { CountOf } from "./count-of.tsx"
import { COUNTING_MS } from "./data.ts"

const SegmentDialog = lazy(() => import("./segment-dialog.tsx"))

const toSegment = ({ id }: Segment) => `/segments/${id}`

const columnsOf = (books: ReadonlyMap<string, string>): readonly Column<Segment>[] => [
  {
    head: "Segment",
    width: "minmax(0, 3fr)",
    cell: (segment) => (
      <Link to={toSegment(segment)} className="font-medium">
        {segment.name}
      </Link>
    ),
    below: ({ bookId }) => books.get(bookId) ?? "",
  },
  {
    head: "Contact book",
    width: "minmax(0, 2fr)",
    cell: ({ bookId }) => books.get(bookId),
  },
  {
    head: "Match",
    width: "100px",
    right: true,
    phone: true,
    cell: (segment) => <CountOf segment={segment} />,
  },
  {
    head: "Can be mailed",
    width: "120px",
    right: true,
    cell: ({ eligibleCount }) => (eligibleCount === null ? "–" : number(eligibleCount)),
  },
  CREATED,
]

export default function Segments() {
  const [{ book = "", new: isNew }, setFilters] = useFilters()
  const may = useMay()
  const navigate = useNavigate()
  const { data: books } = useQuery(booksQuery)
  const columns = useMemo(
    () => columnsOf(new Map(books?.map(({ id, name }) => [id, name]))),
    [books],
  )
  const pages = usePages(["segments", { book }], (query) =>
    api.segments.list({ ...query, ...(book && { bookId: book }) }),
  )
  const isCounting = pages.rows.some(({ contactCount }) => contactCount === null)
  const { refetch } = pages
  useEffect(() => {
    if (!isCounting) return
    const timer = setInterval(refetch, COUNTING_MS)
    return () => clearInterval(timer)
  }, [isCounting, refetch])
  return (
    <Page
      title="Segments"
      about="Contacts of a book that match your conditions. A campaign can go to a segment."
      actions={
        <>
          {may.manage && <NewButton>Create segment</NewButton>}
          <AsRequestButton
            method="GET"
            path={book ? `/segments?bookId=${book}` : "/segments"}
            library={`const { data } = await edgepost.segments.list(${book ? JSON.stringify({ bookId: book }) : ""})`}
          />
        </>
      }
    >
      {books && books.length > 1 && (
        <Select
          aria-label="Contact book"
          className="max-w-64"
          value={book}
          onChange={(book) => setFilters({ book })}
          options={[["", "All books"], ...books.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <List
        {...pages}
        label="Segments"
        columns={columns}
        rowKey={({ id }) => id}
        href={toSegment}
        empty={
          book ? (
            <Empty title="No segments in this book" />
          ) : (
            <NoSegments bookId={books?.[0]?.id} refetch={refetch} />
          )
        }
      />
      <Suspense>
        {isNew && may.manage && (
          <SegmentDialog
            bookId={book}
            onClose={() => setFilters({ new: undefined })}
            onSaved={(segment) => void navigate({ to: toSegment(segment), replace: true })}
          />
        )}
      </Suspense>
    </Page>
  )
}

function NoSegments({ bookId, refetch }: { bookId: string | undefined; refetch: () => unknown }) {
  const about = (
    <p>Mail only the contacts who live in London, joined this year or open your mail.</p>
  )
  if (bookId) {
    return (
      <FirstCall title="No segments yet" request={firstSegment(bookId)} refetch={refetch}>
        {about}
      </FirstCall>
    )
  }
  return (
    <Empty title="No segments yet">
      {about}
      <p>
        First,{" "}
        <Link to="/contacts?new=true" className="underline">
          create a contact book
        </Link>
        .
      </p>
    </Empty>
  )
}

const firstSegment = (bookId: string) =>
  requestOf("POST", "/segments", "segments.create", {
    bookId,
    name: "Readers in London",
    filter: { all: [{ field: "properties.city", op: "is", value: "London" }] },
  })
