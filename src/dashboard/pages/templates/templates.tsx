import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { Badge } from "../../ui/badge.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { SearchField } from "../../ui/list/search-field.tsx"
import { number } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Time } from "../../ui/time/time.tsx"
import { draftsQuery } from "./data.ts"
import { Hour } from "./hour.tsx"
import { sendsQuery } from "./sends.ts"

interface ListedTemplate {
  id: string
  name: string
  slug: string
  subject: string
  /** Null if it was never published. */
  version: number | null
  updatedAt: string
  /** In the last 30 days. Undefined until they are read. */
  sends?: { sent: number; lastHour: string | null } | undefined
}

const NONE_SENT = { sent: 0, lastHour: null }

const COLUMNS: readonly Column<ListedTemplate>[] = [
  {
    head: "Template",
    width: "minmax(0, 2fr)",
    cell: (template) => (
      <span className="flex min-w-0 items-center gap-3">
        <Link to={`/templates/${template.id}`} className="min-w-0 truncate font-medium">
          {template.name}
        </Link>
        <DraftMark {...template} />
      </span>
    ),
    below: ({ slug, version }) =>
      `${slug} · ${version === null ? "not published" : `version ${version}`}`,
  },
  {
    head: "Slug",
    width: "minmax(0, 2fr)",
    cell: ({ slug }) => <code className="font-mono text-xs">{slug}</code>,
  },
  { head: "Subject", width: "minmax(0, 2fr)", cell: ({ subject }) => subject },
  {
    head: "Sent in 30 days",
    width: "110px",
    right: true,
    cell: ({ sends }) => (sends === undefined ? "–" : number(sends.sent)),
  },
  {
    head: "Last sent",
    width: "100px",
    right: true,
    cell: ({ sends }) => (sends?.lastHour ? <Hour at={sends.lastHour} /> : "–"),
  },
  {
    head: "Updated",
    width: "100px",
    right: true,
    phone: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
]

/** What calls with a key do not find: the whole template, or its last changes. */
function DraftMark({ id, version }: ListedTemplate) {
  const { data } = useQuery(draftsQuery)
  if (version === null) return <Badge state="waiting" label="Draft" />
  return data?.some((draft) => draft.id === id) ? (
    <Badge state="waiting" label="Unpublished changes" />
  ) : null
}

const FIRST = requestOf("POST", "/templates", "templates.create", {
  slug: "welcome",
  name: "Welcome",
  subject: "Welcome, {{ name }}",
  bodyHtml: "<p>Hello {{ name }}</p>",
  variablesSchema: { variables: [{ name: "name", type: "string", default: "you" }] },
})

/** Those that were never published come first. */
function useTemplates() {
  const pages = usePages(["templates"], (query) => api.templates.list(query))
  const drafts = useQuery(draftsQuery)
  const unpublished = (drafts.data ?? []).flatMap(({ id, updatedAt, unpublished }) =>
    unpublished ? [{ id, updatedAt, version: null, ...unpublished }] : [],
  )
  const { data: sends } = useQuery(sendsQuery)
  const rows = [...unpublished, ...pages.rows].map(
    (row): ListedTemplate => ({ ...row, sends: sends && (sends.get(row.id) ?? NONE_SENT) }),
  )
  return { ...pages, rows, isPending: pages.isPending || drafts.isPending }
}

const matches = ({ name, slug, subject }: ListedTemplate, words: string) =>
  `${name} ${slug} ${subject}`.toLowerCase().includes(words.trim().toLowerCase())

export default function Templates() {
  const pages = useTemplates()
  const [{ q = "" }] = useFilters()
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  // A search looks at all of them.
  useEffect(() => {
    if (q && hasNextPage && !isFetchingNextPage) fetchNextPage()
  }, [q, hasNextPage, isFetchingNextPage, fetchNextPage])
  return (
    <Page
      title="Templates"
      actions={
        <>
          <Link to="/templates/new" className={buttonClass("primary")}>
            Create template
          </Link>
          <ListAsRequest path="/templates" />
        </>
      }
    >
      {(q || pages.rows.length > 0) && (
        <SearchField
          label="Search templates"
          placeholder="Name, slug or subject"
          className="max-w-72"
        />
      )}
      <List
        {...pages}
        rows={pages.rows.filter((one) => matches(one, q))}
        label="Templates"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/templates/${id}`}
        empty={
          q ? (
            <Empty title={`No templates match “${q}”`} />
          ) : (
            <FirstCall title="No templates yet" request={FIRST} refetch={pages.refetch}>
              <p>A template is an email with variables. Your code sends it by name, with values.</p>
            </FirstCall>
          )
        }
      />
    </Page>
  )
}
