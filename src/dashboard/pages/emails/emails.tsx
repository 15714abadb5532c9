import { Suspense, useMemo } from "react"
import { iterate } from "../../../client/pages.ts"
import type { CallOptions } from "../../../client/request.ts"
import { useLivePages } from "../../api/live-pages.ts"
import type { PageQuery } from "../../api/pages.ts"
import { queries, readEmailRows } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { OBJECT_TYPES } from "../../app/palette/objects.ts"
import { type Filters, useFilters } from "../../app/params.ts"
import { PLACES } from "../../app/places.ts"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ExportButton } from "../../ui/export/export-button.tsx"
import { List } from "../../ui/list/list.tsx"
import { useSearchFurther } from "../../ui/list/searched-back.tsx"
import { SelectionBar, useSelection, withSelection } from "../../ui/list/selection.tsx"
import { Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { emailColumns, usualSenderOf } from "./columns.tsx"
import { countKey, EmailCount } from "./count.tsx"
import { asRequest } from "./email/as-request.ts"
import { recipientsOf } from "./email/recipients.ts"
import { EXPORTED, withReasons } from "./export.ts"
import { findProblem, type Problem } from "./problems.ts"
import { type Found, isId, searchEmails } from "./search/search.ts"
import { SearchBox } from "./search/search-box.tsx"
import { toViewQuery } from "./search/view-query.ts"
import { SavedViews } from "./search/views.tsx"

const SendDialog = lazy(() => import("./send-dialog.tsx"))
const SelectedActions = lazy(() => import("./selected-actions.tsx"))
const FirstEmail = lazy(() => import("./first-email.tsx"))

export default function Emails() {
  const [{ q = "", send }, setFilters] = useFilters()
  const isFiltered = q !== ""
  const search = (query: PageQuery, options?: CallOptions) => searchEmails(q, query, options)
  const pages = useLivePages(["emails", q], search, {
    type: "email",
    readRows: readEmailRows,
  })
  const selection = useSelection(pages.rows)
  const usualSender = useMemo(() => usualSenderOf(pages.rows), [pages.rows])
  const columns = useMemo(
    () =>
      withSelection(
        emailColumns(usualSender),
        selection,
        (email) => `${email.subject} to ${recipientsOf(email)[0]}`,
      ),
    [selection, usualSender],
  )
  const found = pages.data?.pages as Found[] | undefined
  const problem = findProblem(q)
  const request = asRequest(q, found?.[0]?.object)
  const { goesOn, searchedBack } = useSearchFurther(q, pages)
  const showWaiting = () => {
    pages.showWaiting()
    queries.invalidateQueries({ queryKey: countKey(q) })
  }
  return (
    <Page
      title="Emails"
      actions={
        <>
          <Button
            kind={pages.rows.length > 0 || isFiltered ? "primary" : "plain"}
            onClick={() => setFilters({ send: "true" })}
          >
            Send test email
          </Button>
          {pages.rows.length > 0 && (
            <ExportButton
              noun="emails"
              read={(signal) => withReasons(iterate(search, { limit: 100 }, { signal }))}
              columns={EXPORTED}
            />
          )}
          {request && <AsRequestButton {...request} />}
        </>
      }
    >
      <SavedViews query={isId(q) || problem ? undefined : toViewQuery(q)} />
      <SearchBox q={q} emails={pages.rows} onChange={setFilters} />
      <Elsewhere object={found?.[0]?.object} />
      {pages.rows.length > 0 && !isId(q) && (
        <EmailCount q={q} known={pages.hasNextPage ? undefined : pages.rows.length} />
      )}
      <List
        {...pages}
        showWaiting={showWaiting}
        hasNextPage={goesOn}
        label="Emails"
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => `/emails/${id}`}
        empty={
          problem ? (
            <FilterProblem problem={problem} onChange={setFilters} />
          ) : isFiltered ? (
            <Empty
              title={goesOn ? "Searching…" : pages.hasNextPage ? "No matches so far" : "No matches"}
            >
              {searchedBack}
              <Button onClick={() => setFilters({ q: undefined })} className="justify-self-start">
                Show all emails
              </Button>
            </Empty>
          ) : (
            <Suspense fallback={<Skeleton />}>
              <FirstEmail />
            </Suspense>
          )
        }
      />
      {pages.rows.length > 0 && searchedBack}
      <SelectionBar selection={selection} noun="email">
        {(rows) => (
          <Suspense>
            <SelectedActions emails={rows} />
          </Suspense>
        )}
      </SelectionBar>
      <Suspense>{send && <SendDialog onClose={() => setFilters({ send: undefined })} />}</Suspense>
    </Page>
  )
}

interface ProblemProps {
  problem: Problem
  onChange(changes: Filters): void
}

/** A search with a misspelt filter finds nothing, so it says so before it looks. */
const FilterProblem = ({ problem: { text, instead }, onChange }: ProblemProps) => (
  <div role="alert">
    <Empty title={text}>
      {instead && (
        <Button onClick={() => onChange({ q: instead })} className="justify-self-start">
          Search for {instead}
        </Button>
      )}
    </Empty>
  </div>
)

/** An id may belong to something else than an email. */
function Elsewhere({ object }: { object: Found["object"] | undefined }) {
  if (!object || object.type === "emails") return null
  const { noun, page } = OBJECT_TYPES[object.type] ?? { noun: sentence(object.type) }
  const article = /^[AEIO]/.test(noun) ? "an" : "a"
  // "API key" keeps its capitals.
  const name = noun.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
  const place = PLACES.find(([prefix]) => object.id.startsWith(prefix))?.[1](object.id) ?? page
  return (
    <p>
      This ID belongs to {article} {name}.{" "}
      {place && (
        <Link to={place} className="underline underline-offset-2">
          Open it
        </Link>
      )}
    </p>
  )
}
