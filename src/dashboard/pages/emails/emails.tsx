import { Search } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"
import { EMAIL_STATUSES } from "../../../emails/statuses.ts"
import { useLivePages } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { OBJECT_TYPES } from "../../app/objects.ts"
import { useFilters } from "../../app/params.ts"
import { PLACES } from "../../app/places.ts"
import { type AsRequest, AsRequestButton } from "../../ui/as-request.tsx"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { Select, TextInput } from "../../ui/field.tsx"
import { List } from "../../ui/list.tsx"
import { Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"
import { EMAIL_COLUMNS } from "./columns.tsx"
import { type Found, searchEmails } from "./search.ts"

const SendDialog = lazy(() => import("./send-dialog.tsx"))
const FirstEmail = lazy(() => import("./first-email.tsx"))

export default function Emails() {
  const [{ q = "", send }, setFilters] = useFilters()
  const pages = useLivePages("email", ["emails", q], (query) => searchEmails(q, query))
  const found = pages.data?.pages as Found[] | undefined
  return (
    <Page
      title="Emails"
      actions={
        <>
          <AsRequestButton {...asRequest(q)} />
          <Button
            kind={pages.rows.length > 0 || q ? "primary" : "plain"}
            onClick={() => setFilters({ send: "true" })}
          >
            Send a test email
          </Button>
        </>
      }
    >
      <SearchBox q={q} onSearch={(next) => setFilters({ q: next })} />
      <Elsewhere object={found?.[0]?.object} />
      <List
        {...pages}
        label="Emails"
        columns={EMAIL_COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/emails/${id}`}
        empty={
          q ? (
            <Empty title="No email matches">
              <SearchedBack pages={found} />
              <Button onClick={() => setFilters({ q: undefined })} className="justify-self-start">
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
function asRequest(q: string): AsRequest {
  const [, name = "", value = ""] =
    /^(status|tag):(.+)$/.exec(q) ?? (q.includes("@") ? [q, "to", q] : [])
  const filter = name && { [name]: value }
  return {
    method: "GET",
    path: `/emails${filter && `?${new URLSearchParams(filter)}`}`,
    library: `const { data } = await edgepost.emails.list(${filter && JSON.stringify(filter)})`,
  }
}

function SearchBox({ q, onSearch }: { q: string; onSearch(q: string): void }) {
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  const status = /^status:(\w+)$/.exec(q)?.[1] ?? ""
  return (
    <search className="flex flex-wrap gap-2">
      <form
        className="relative min-w-0 flex-1 basis-72"
        onSubmit={(event) => {
          event.preventDefault()
          onSearch(text.trim())
        }}
      >
        <Search size={14} aria-hidden className="absolute top-2.25 left-2.5 text-muted" />
        <TextInput
          type="search"
          className="pl-8"
          aria-label="Search emails"
          placeholder="An address, an id, words of the subject, tag:kind:welcome, status:bounced"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      <Select
        aria-label="Status"
        className="w-40!"
        value={status}
        onChange={({ target }) => onSearch(target.value && `status:${target.value}`)}
        options={[
          ["", "Any status"],
          ...EMAIL_STATUSES.map((one) => [one, sentence(one)] as const),
        ]}
      />
    </search>
  )
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
