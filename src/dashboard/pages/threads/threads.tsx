import { useQuery } from "@tanstack/react-query"
import { Suspense, useMemo } from "react"
import { useLivePages } from "../../api/live-pages.ts"
import { useShortcuts } from "../../app/keyboard.ts"
import { lazy } from "../../app/lazy.ts"
import { type Filters, useFilters } from "../../app/params.ts"
import { sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { List } from "../../ui/list/list.tsx"
import { SearchForm } from "../../ui/list/search-form.tsx"
import { SearchedBack } from "../../ui/list/searched-back.tsx"
import { SelectionBar, useSelection, withSelection } from "../../ui/list/selection.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { Skeleton } from "../../ui/waiting.tsx"
import { columnsOf } from "./columns.tsx"
import {
  inboxesQuery,
  listRows,
  oncePerThread,
  type Row,
  type Search,
  STATES,
  toFilter,
  VIEWS,
  type View,
} from "./data.ts"
import { markThreads, type State } from "./mark.ts"
import { useUnread } from "./unread.ts"

const FirstInbox = lazy(() => import("./first-inbox.tsx"))

const isView = (text: string): text is View => VIEWS.some((view) => view === text)

export default function Threads() {
  const [{ q = "", view: asked = "open", inbox: inboxId = "" }, setFilters] = useFilters()
  const search: Search = { q, view: isView(asked) ? asked : "open", inboxId }
  const areThreads = !q && search.view !== "unread"
  const pages = useLivePages(["threads", search], listRows(search), {
    type: "received",
    keyOf: ({ threadId }) => threadId,
  })
  const rows = useMemo(() => oncePerThread(pages.rows), [pages.rows])
  const { data: inboxes } = useQuery(inboxesQuery)
  const unread = useUnread(rows.at(-1)?.at)
  const selection = useSelection(rows)
  const columns = useMemo(() => {
    const shown = columnsOf({ inboxes: inboxes ?? [], unread, areThreads })
    return areThreads ? withSelection(shown, selection, ({ subject }) => subject) : shown
  }, [inboxes, unread, areThreads, selection])
  useMarkKeys(rows)
  const last = pages.data?.pages.at(-1) as { searchedUntil?: string } | undefined
  if (inboxes?.length === 0) {
    return (
      <Page title="Inbox" about={ABOUT}>
        <Suspense fallback={<Skeleton />}>
          <FirstInbox />
        </Suspense>
      </Page>
    )
  }
  return (
    <Page title="Inbox" about={ABOUT} actions={<AsRequestButton {...asRequest(search)} />}>
      <SearchBar {...search} inboxes={inboxes ?? []} onChange={setFilters} />
      <List
        {...pages}
        hasNextPage={pages.hasNextPage && !(last?.searchedUntil && rows.length === 0)}
        label="Threads"
        columns={columns}
        rows={rows}
        rowKey={({ threadId }) => threadId}
        href={({ threadId }) => `/threads/${threadId}`}
        empty={<Nothing {...search} isCut={pages.hasNextPage} onChange={setFilters} />}
      />
      <SearchedBack
        at={last?.searchedUntil}
        isSearching={pages.isFetchingNextPage}
        onSearch={pages.fetchNextPage}
      />
      <SelectionBar selection={selection} noun="thread">
        {(chosen) => <MarkButtons rows={chosen} />}
      </SelectionBar>
    </Page>
  )
}

const ABOUT = "Replies and messages to your inboxes."

function MarkButtons({ rows }: { rows: readonly Row[] }) {
  const threads = rows.flatMap(({ thread }) => thread ?? [])
  return STATES.filter((state) => threads.some((thread) => thread.state !== state)).map((state) => (
    <Button key={state} small onClick={() => markThreads(threads, state)}>
      {LABELS[state]}
    </Button>
  ))
}

const LABELS: Record<State, string> = {
  open: "Reopen",
  done: "Mark as done",
  spam: "Mark as spam",
}

const KEYS: Record<State, string> = { done: "e", spam: "!", open: "o" }

/** On the thread whose row has the focus. */
function useMarkKeys(rows: readonly Row[]) {
  useShortcuts(
    useMemo(
      () =>
        STATES.map((state) => ({
          keys: KEYS[state],
          label: LABELS[state],
          run() {
            const row = document.activeElement?.closest<HTMLElement>("[data-index]")
            const thread = row && rows[Number(row.dataset.index)]?.thread
            if (thread) void markThreads([thread], state)
          },
        })),
      [rows],
    ),
  )
}

interface BarProps extends Search {
  inboxes: readonly { id: string; address: string }[]
  onChange(changes: Filters): void
}

function SearchBar({ q, view, inboxId, inboxes, onChange }: BarProps) {
  return (
    <search className="flex flex-wrap gap-2">
      <SearchForm
        className="min-w-0 flex-1 basis-64"
        q={q}
        label="Search messages"
        placeholder="Search subjects, or senders by address"
        onSearch={(q) => onChange({ q })}
      />
      <Select
        aria-label="Show"
        className="w-32!"
        value={q ? "all" : view}
        onChange={(view) => onChange({ view: view === "open" ? undefined : view, q: undefined })}
        options={VIEWS.map((one) => [one, sentence(one)] as const)}
      />
      {inboxes.length > 1 && (
        <Select
          aria-label="Inbox"
          className="w-56! max-sm:flex-1"
          value={inboxId}
          onChange={(inbox) => onChange({ inbox })}
          options={[
            ["", "All inboxes"],
            ...inboxes.map(({ id, address }) => [id, address] as const),
          ]}
        />
      )}
    </search>
  )
}

interface NothingProps extends Search {
  /** There is older mail that the search has not looked at. */
  isCut: boolean
  onChange(changes: Filters): void
}

const NOTHING: Record<View, string> = {
  open: "No open threads",
  unread: "No unread messages",
  done: "No threads marked as done",
  spam: "No spam",
  all: "No messages yet",
}

function Nothing({ q, view, inboxId, isCut, onChange }: NothingProps) {
  const title = q ? (isCut ? "No matches so far" : "No matches") : NOTHING[view]
  return (
    <Empty title={title}>
      {(q || view !== "all" || inboxId) && (
        <Button
          className="justify-self-start"
          onClick={() => onChange({ q: undefined, view: "all", inbox: undefined })}
        >
          Show all threads
        </Button>
      )}
    </Empty>
  )
}

function asRequest({ view, q, inboxId }: Search): AsRequest {
  const ofInbox = inboxId ? { inboxId } : {}
  const [noun, method, query] =
    q || view === "unread"
      ? [
          "received-emails",
          "receivedEmails",
          { ...(q ? toFilter(q) : { read: false }), ...ofInbox },
        ]
      : ["threads", "threads", { ...(view !== "all" && { state: view }), ...ofInbox }]
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  return {
    method: "GET",
    path: `/${noun}${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ""}`,
    library: `const { data } = await edgepost.${method}.list(${pairs.length > 0 ? JSON.stringify(query) : ""})`,
  }
}
