import { useNavigate } from "@tanstack/react-router"
import { Suspense, useMemo, useSyncExternalStore } from "react"
import type { listInbox } from "../../../worker/sandbox/dashboard-contract.ts"
import { call } from "../../api/api.ts"
import { useLivePages } from "../../api/live-pages.ts"
import { isNotFound } from "../../api/queries.ts"
import { useShortcuts } from "../../app/keyboard.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters, useParam } from "../../app/params.ts"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { type Captured, type CapturedPage, listPage, messagePage } from "./captured.ts"
import { MessageList } from "./message-list.tsx"
import { MessageView } from "./message-view.tsx"

const FirstEmail = lazy(() => import("../emails/first-email.tsx"))

const wide = matchMedia("(min-width: 1024px)")

const useIsWide = () =>
  useSyncExternalStore(
    (watcher) => {
      wide.addEventListener("change", watcher)
      return () => wide.removeEventListener("change", watcher)
    },
    () => wide.matches,
  )

const useInbox = (q: string) =>
  useLivePages<Captured>(
    ["inbox", q],
    (query, options) =>
      call<typeof listInbox>(
        { method: "GET", path: "/inbox", query: { ...query, ...(q && { q }) } },
        options,
      ),
    { type: "email", readRows: async () => [] },
  )
type Inbox = ReturnType<typeof useInbox>

/** The list beside the message; on a phone one of the two. */
export default function InboxPage() {
  const id = useParam("id") || undefined
  const isWide = useIsWide()
  const [{ q = "" }, setFilters] = useFilters()
  const inbox = useInbox(q)
  const shown = id ?? (isWide ? inbox.rows[0]?.id : undefined)
  useWalk(inbox.rows, shown, q)
  const query = shown ? { emailId: shown } : undefined
  return (
    <Page
      title="Test inbox"
      above={id && !isWide && <Link to={listPage(q)}>All messages</Link>}
      about={(isWide || !id) && "The sandbox catches all email here. Nothing is delivered."}
      actions={
        <AsRequestButton
          method="GET"
          path={query ? `/sandbox/messages?emailId=${query.emailId}` : "/sandbox/messages"}
          library={`const { data } = await edgepost.sandbox.list(${query ? JSON.stringify(query) : ""})`}
        />
      }
    >
      <Content inbox={inbox} id={id ?? (q || undefined)}>
        <div className="grid min-w-0 gap-6 lg:grid-cols-[320px_minmax(0,1fr)]">
          {(isWide || !id) && (
            <MessageList
              {...inbox}
              chosen={shown}
              q={q}
              searchedUntil={(inbox.data?.pages.at(-1) as CapturedPage | undefined)?.searchedUntil}
              onSearch={(q) => setFilters({ q })}
            />
          )}
          {shown && <MessageView key={shown} id={shown} />}
        </div>
      </Content>
    </Page>
  )
}

function Content({
  inbox,
  id,
  children,
}: {
  inbox: Inbox
  id: string | undefined
  children: React.ReactNode
}) {
  const { error, rows, waiting, isPending } = inbox
  if (isNotFound(error)) {
    return (
      <Empty title="This installation sends real email">
        Set PROVIDER to sandbox to catch all email here instead of sending it.
      </Empty>
    )
  }
  if (error && rows.length === 0) return <ErrorBox error={error} retry={() => inbox.refetch()} />
  if (id || isPending || rows.length > 0 || waiting > 0) return children
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <FirstEmail />
    </Suspense>
  )
}

/** `j` and `k` open the next message and the one before. */
function useWalk(rows: readonly Captured[], shown: string | undefined, q: string) {
  const navigate = useNavigate()
  useShortcuts(
    useMemo(() => {
      const open = (step: number) => {
        const at = rows.findIndex(({ id }) => id === shown)
        const next = rows[at < 0 ? 0 : at + step]
        if (next) void navigate({ href: `/dashboard${messagePage(next.id, q)}` })
      }
      return [
        { keys: "j", label: "Next message", run: () => open(1) },
        { keys: "k", label: "Previous message", run: () => open(-1) },
      ]
    }, [rows, shown, q, navigate]),
  )
}
