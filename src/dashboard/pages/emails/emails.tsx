import { lazy, Suspense } from "react"
import { useLivePages } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { OBJECT_TYPES } from "../../app/objects.ts"
import { useFilters } from "../../app/params.ts"
import { PLACES } from "../../app/places.ts"
import { type AsRequest, AsRequestButton } from "../../ui/as-request.tsx"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { List } from "../../ui/list.tsx"
import { Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"
import { EMAIL_COLUMNS } from "./columns.tsx"
import { type Found, type Range, rangeOf, searchEmails } from "./search.ts"
import { SearchBox } from "./search-box.tsx"

const SendDialog = lazy(() => import("./send-dialog.tsx"))
const FirstEmail = lazy(() => import("./first-email.tsx"))

export default function Emails() {
  const [{ q = "", from = "", to = "", send }, setFilters] = useFilters()
  const range = rangeOf(from, to)
  const isFiltered = Boolean(q || range.since || range.until)
  const pages = useLivePages("email", ["emails", q, range], (query) =>
    searchEmails(q, { ...query, ...range }),
  )
  const found = pages.data?.pages as Found[] | undefined
  return (
    <Page
      title="Emails"
      actions={
        <>
          <AsRequestButton {...asRequest(q, range)} />
          <Button
            kind={pages.rows.length > 0 || isFiltered ? "primary" : "plain"}
            onClick={() => setFilters({ send: "true" })}
          >
            Send a test email
          </Button>
        </>
      }
    >
      <SearchBox q={q} from={from} to={to} onChange={setFilters} />
      <Elsewhere object={found?.[0]?.object} />
      <List
        {...pages}
        label="Emails"
        columns={EMAIL_COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/emails/${id}`}
        empty={
          isFiltered ? (
            <Empty title={pages.hasNextPage ? "No email matches so far" : "No email matches"}>
              <SearchedBack pages={found} />
              <Button
                onClick={() => setFilters({ q: undefined, from: undefined, to: undefined })}
                className="justify-self-start"
              >
                Show all emails
              </Button>
            </Empty>
          ) : (
            <Suspense>
              <FirstEmail />
            </Suspense>
          )
        }
      />
      {pages.rows.length > 0 && <SearchedBack pages={found} />}
      <Suspense>{send && <SendDialog onClose={() => setFilters({ send: undefined })} />}</Suspense>
    </Page>
  )
}

/** The API has filters in place of the one search: by address, status and tag. */
function asRequest(q: string, range: Range): AsRequest {
  const [, name, value = ""] =
    /^(status|tag):(.+)$/.exec(q) ?? (q.includes("@") ? [q, "to", q] : [])
  const filter = { ...(name && { [name]: value }), ...range }
  const isFiltered = Object.keys(filter).length > 0
  return {
    method: "GET",
    path: `/emails${isFiltered ? `?${new URLSearchParams(filter)}` : ""}`,
    library: `const { data } = await edgepost.emails.list(${isFiltered ? JSON.stringify(filter) : ""})`,
  }
}

/** An id may belong to something else than an email. */
function Elsewhere({ object }: { object: Found["object"] | undefined }) {
  if (!object || object.type === "emails") return null
  const { noun, page } = OBJECT_TYPES[object.type] ?? { noun: sentence(object.type) }
  const place = PLACES.find(([prefix]) => object.id.startsWith(prefix))?.[1](object.id) ?? page
  return (
    <p>
      Kind of this id: {noun}.{" "}
      {place && (
        <Link to={place} className="underline underline-offset-2">
          Open it
        </Link>
      )}
    </p>
  )
}

function SearchedBack({ pages }: { pages: Found[] | undefined }) {
  const at = pages?.at(-1)?.searchedBack
  if (!at) return null
  return (
    <p className="text-muted">
      Searched back to <Time at={at} />.
    </p>
  )
}
