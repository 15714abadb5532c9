import { X } from "lucide-react"
import { Suspense, useState } from "react"
import { iterate } from "../../../../client/pages.ts"
import type { CallOptions } from "../../../../client/request.ts"
import { AUDIT_LOG_DAYS, type listAuditLog } from "../../../../worker/teams/audit/contract.ts"
import { call } from "../../../api/api.ts"
import { type PageQuery, usePages } from "../../../api/pages.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { lazy } from "../../../app/lazy.ts"
import { ManagersOnly } from "../../../app/managers-only.tsx"
import { OBJECT_TYPES } from "../../../app/palette/objects.ts"
import { type Filters, useFilters } from "../../../app/params.ts"
import { Button } from "../../../ui/button.tsx"
import { Empty } from "../../../ui/empty.tsx"
import { ExportButton } from "../../../ui/export/export-button.tsx"
import { List } from "../../../ui/list/list.tsx"
import { SearchForm } from "../../../ui/list/search-form.tsx"
import { SearchedBack } from "../../../ui/list/searched-back.tsx"
import { Select } from "../../../ui/menu/select.tsx"
import { Page } from "../../../ui/page.tsx"
import { columns, type Entry } from "./audit-columns.tsx"

const Changes = lazy(() => import("./changes.tsx"))

type AuditPage = ReplyOf<typeof listAuditLog>

/** Their changes have timelines of their own. */
const UNLOGGED = ["contacts", "deliveries", "emails"]

const EXPORTED: Record<string, (entry: Entry) => string | null> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  actor: ({ actor }) => actor.name,
  actor_id: ({ actor }) => actor.id,
  action: ({ action }) => action,
  object: ({ object }) => object.label,
  object_id: ({ object }) => object.id,
  changes: ({ changes }) =>
    changes
      .map(({ field, before, after }) => `${field}: ${before ?? ""} → ${after ?? ""}`)
      .join("\n"),
}

const FILTERS = ["actorId", "objectId", "objectType", "q"] as const

export default function AuditLog() {
  return (
    <ManagersOnly title="Audit log">
      <Entries />
    </ManagersOnly>
  )
}

function Entries() {
  const [filters, setFilters] = useFilters()
  const [shown, setShown] = useState<Entry | null>(null)
  const chosen = Object.fromEntries(
    FILTERS.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  )
  const list = (query: PageQuery, options?: CallOptions) =>
    call<typeof listAuditLog>(
      { method: "GET", path: "/audit-log", query: { ...query, ...chosen } },
      options,
    )
  const pages = usePages<Entry>(["audit-log", chosen], (query) => list(query))
  const searchedUntil = (pages.data?.pages.at(-1) as AuditPage | undefined)?.searchedUntil
  const clear = () =>
    setFilters({ actorId: undefined, objectId: undefined, objectType: undefined, q: undefined })
  const filtered = Object.keys(chosen).length > 0
  return (
    <Page
      title="Audit log"
      about={`Who changed what. Entries are kept for ${AUDIT_LOG_DAYS} days.`}
      actions={
        pages.rows.length > 0 && (
          <ExportButton
            noun="audit log entries"
            read={(signal) => iterate(list, { limit: 100 }, { signal })}
            columns={EXPORTED}
          />
        )
      }
    >
      <FilterBar filters={filters} setFilters={setFilters} entries={pages.rows} />
      <List
        {...pages}
        hasNextPage={pages.hasNextPage && !searchedUntil}
        label="Audit log"
        rowKey={({ id }) => id}
        columns={columns(setFilters, setShown)}
        empty={
          <Empty title={emptyTitle(filtered, pages.hasNextPage)}>
            <SearchedBack
              at={searchedUntil}
              isSearching={pages.isFetchingNextPage}
              onSearch={pages.fetchNextPage}
            />
            {filtered && (
              <Button onClick={clear} className="justify-self-start">
                Show all entries
              </Button>
            )}
          </Empty>
        }
      />
      {pages.rows.length > 0 && (
        <SearchedBack
          at={searchedUntil}
          isSearching={pages.isFetchingNextPage}
          onSearch={pages.fetchNextPage}
        />
      )}
      <Suspense>{shown && <Changes entry={shown} onClose={() => setShown(null)} />}</Suspense>
    </Page>
  )
}

function emptyTitle(isFiltered: boolean, hasMore: boolean): string {
  if (!isFiltered) return "No changes yet"
  return hasMore ? "No matches so far" : "No matches"
}

interface FilterBarProps {
  filters: Filters
  setFilters(changes: Filters): void
  entries: readonly Entry[]
}

function FilterBar({ filters, setFilters, entries }: FilterBarProps) {
  const { actorId, objectId, objectType = "", q = "" } = filters
  const actor = entries.find(({ actor }) => actor.id === actorId)?.actor.name
  const object = entries.find(({ object }) => object.id === objectId)?.object.label
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchForm
        className="min-w-0 flex-1 basis-64"
        q={q}
        label="Search the audit log"
        placeholder="Search by name, address, ID or person"
        onSearch={(q) => setFilters({ q })}
      />
      <Select
        aria-label="Type"
        className="w-48!"
        value={objectType}
        onChange={(objectType) => setFilters({ objectType })}
        options={[
          ["", "All types"],
          ...Object.entries(OBJECT_TYPES).flatMap(([type, { noun }]) =>
            UNLOGGED.includes(type) ? [] : [[type, noun] as const],
          ),
        ]}
      />
      {actorId && (
        <Chosen text={`By ${actor ?? actorId}`} onEnd={() => setFilters({ actorId: undefined })} />
      )}
      {objectId && (
        <Chosen
          text={`On ${object ?? objectId}`}
          onEnd={() => setFilters({ objectId: undefined })}
        />
      )}
    </search>
  )
}

const Chosen = ({ text, onEnd }: { text: string; onEnd(): void }) => (
  <Button onClick={onEnd} aria-label={`${text}: remove this filter`} className="min-w-0 max-w-full">
    <span className="truncate">{text}</span>
    <X size={14} aria-hidden className="shrink-0" />
  </Button>
)
