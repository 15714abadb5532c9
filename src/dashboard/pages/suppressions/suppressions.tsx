import { Suspense, useMemo } from "react"
import type { Suppression } from "../../../client/types.ts"
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
import { ExportButton } from "../../ui/export/export-button.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { SearchField } from "../../ui/list/search-field.tsx"
import { SelectionBar, useSelection, withSelection } from "../../ui/list/selection.tsx"
import { menuColumn } from "../../ui/menu/row-menu.tsx"
import { Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { Time } from "../../ui/time/time.tsx"
import { CAUSES } from "./reasons.ts"
import { removeSuppression, removeSuppressions } from "./remove.ts"

const AddSuppression = lazy(() => import("./add.tsx"))

const EXPORTED: Record<string, (one: Suppression) => string | null> = {
  email: ({ email }) => email,
  reason: ({ reason }) => reason,
  note: ({ note }) => note,
  source_email_id: ({ sourceEmailId }) => sourceEmailId,
  created_at: ({ createdAt }) => createdAt,
}

const FIRST = requestOf("POST", "/suppressions", "suppressions.add", {
  email: "ada@example.com",
  note: "Asked by phone",
})

export default function Suppressions() {
  const may = useMay()
  const [{ q, new: isNew }, setFilters] = useFilters()
  const pages = usePages(["suppressions", { q }], (query) =>
    api.suppressions.list({ ...query, ...(q && { q }) }),
  )
  const selection = useSelection(pages.rows)
  const shown = useMemo(
    () => (may.manage ? withSelection(MANAGED, selection, ({ email }) => email) : COLUMNS),
    [may.manage, selection],
  )
  const isEmpty = pages.isSuccess && pages.rows.length === 0 && !q
  const add = may.manage && <NewButton>Suppress address</NewButton>
  return (
    <Page
      title="Suppressions"
      about="Email to these addresses is refused. Bounces and complaints are added automatically."
      actions={
        <>
          {add}
          {pages.rows.length > 0 && (
            <ExportButton
              noun="suppressions"
              read={(signal) =>
                api.suppressions.iterate({ limit: 100, ...(q && { q }) }, { signal })
              }
              columns={EXPORTED}
            />
          )}
          <AsRequestButton
            method="GET"
            path={q ? `/suppressions?q=${encodeURIComponent(q)}` : "/suppressions"}
            library={`const { data } = await edgepost.suppressions.list(${q ? JSON.stringify({ q }) : ""})`}
          />
        </>
      }
    >
      {!isEmpty && (
        <SearchField
          label="Search suppressions"
          placeholder="Address starts with"
          className="max-w-96"
        />
      )}
      <List
        {...pages}
        label="Suppressions"
        columns={shown}
        rowKey={({ id }) => id}
        href={({ email }) => `/recipients/${encodeURIComponent(email)}`}
        empty={
          q ? (
            <Empty title={`No suppressed addresses start with “${q}”`} />
          ) : (
            <FirstCall title="No suppressed addresses" request={FIRST} refetch={pages.refetch}>
              <p>Addresses appear here when email to them bounces or is marked as spam.</p>
            </FirstCall>
          )
        }
      />
      <SelectionBar selection={selection} noun="suppression">
        {(rows) => (
          <TaskButton small run={() => removeSuppressions(rows)}>
            Remove suppressions
          </TaskButton>
        )}
      </SelectionBar>
      <Suspense>
        {isNew && may.manage && (
          <AddSuppression
            onClose={() => setFilters({ new: undefined })}
            onAdded={() => pages.refetch()}
          />
        )}
      </Suspense>
    </Page>
  )
}

const COLUMNS: readonly Column<Suppression>[] = [
  {
    head: "Address",
    width: "minmax(0, 3fr)",
    cell: ({ email }) => (
      <Link to={`/recipients/${encodeURIComponent(email)}`} className="font-medium">
        {email}
      </Link>
    ),
    below: ({ reason, note, createdAt }) => (
      <>
        <Badge state={reason} label={CAUSES[reason]} /> · <Time at={createdAt} />{" "}
        {note && `· ${note}`}
      </>
    ),
  },
  {
    head: "Cause",
    width: "minmax(124px, 1.5fr)",
    cell: ({ reason }) => <Badge state={reason} label={CAUSES[reason]} />,
  },
  {
    head: "Email",
    width: "88px",
    cell: ({ sourceEmailId }) =>
      sourceEmailId ? (
        <Link to={`/emails/${sourceEmailId}`} className="underline underline-offset-2">
          View email
        </Link>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    head: "Note",
    width: "minmax(0, 2fr)",
    cell: ({ note }) => note ?? <span className="text-muted">–</span>,
  },
  {
    head: "Added",
    width: "minmax(88px, 1fr)",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

const MANAGED: readonly Column<Suppression>[] = [
  ...COLUMNS,
  menuColumn<Suppression>(
    ({ email }) => email,
    (one) => [
      { label: "Remove suppression", danger: true, onSelect: () => removeSuppression(one) },
    ],
  ),
]
