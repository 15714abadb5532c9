import { useQuery } from "@tanstack/react-query"
import { Suspense, useMemo, useState } from "react"
import type { Domain, Inbox } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { useMay } from "../../app/people.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { NotFoundDialog } from "../../ui/dialog/not-found-dialog.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { menuColumn } from "../../ui/menu/row-menu.tsx"
import { counted } from "../../ui/numbers.ts"
import { Section } from "../../ui/page.tsx"
import { CopyButton } from "../../ui/request/copy.tsx"
import { say } from "../../ui/toast.tsx"
import { inboxesQuery, refreshInboxes } from "../threads/data.ts"

const InboxDialog = lazy(() => import("./inbox-dialog.tsx"))

const COLUMNS: readonly Column<Inbox>[] = [
  {
    head: "Address",
    width: "minmax(0, 2fr)",
    cell: ({ id, address }) => (
      <Link to={`/threads?view=all&inbox=${id}`} className="font-medium">
        {address}
      </Link>
    ),
    below: ({ name, retentionDays }) =>
      [name, `kept ${daysOf(retentionDays)}`].filter(Boolean).join(", "),
  },
  { head: "Name", width: "minmax(0, 1fr)", cell: ({ name }) => name ?? "–" },
  { head: "Kept", width: "88px", cell: ({ retentionDays }) => daysOf(retentionDays) },
]

/** In the address, in place of an ID. */
const NEW = "new"

const daysOf = (days: number) => counted(days, "day")

const FORWARDING: Column<Inbox> = {
  head: "Forward mail to",
  width: "minmax(0, 3fr)",
  cell: ({ forwardingAddress }) =>
    forwardingAddress && (
      <span className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 truncate font-mono text-xs">{forwardingAddress}</code>
        <CopyButton text={forwardingAddress} label={`Copy ${forwardingAddress}`} />
      </span>
    ),
}

/** The addresses of the domain whose mail is read. */
export default function Inboxes({ domain }: { domain: Domain }) {
  const { manage } = useMay()
  const [{ inbox: shownId }, setFilters] = useFilters()
  const [deleting, setDeleting] = useState<Inbox | null>(null)
  const query = useQuery(inboxesQuery)
  const rows = query.data?.filter(({ domainId }) => domainId === domain.id) ?? []
  const shown = rows.find(({ id }) => id === shownId)
  const isMissing = shownId && shownId !== NEW && query.isSuccess && !shown
  const close = () => setFilters({ inbox: undefined })
  const isForwarded = domain.receiving.mode === "forward"
  const columns = useMemo(
    () => [
      ...COLUMNS,
      ...(isForwarded ? [FORWARDING] : []),
      ...(manage
        ? [
            menuColumn<Inbox>(
              ({ address }) => address,
              (inbox) => [
                { label: "Edit", onSelect: () => setFilters({ inbox: inbox.id }) },
                inbox.forwardingAddress !== null && {
                  label: "Copy forwarding address",
                  onSelect: () =>
                    void navigator.clipboard
                      .writeText(inbox.forwardingAddress ?? "")
                      .then(() => say("Forwarding address copied")),
                },
                { label: "Delete", danger: true, onSelect: () => setDeleting(inbox) },
              ],
            ),
          ]
        : []),
    ],
    [isForwarded, manage, setFilters],
  )
  const create = manage && <Button onClick={() => setFilters({ inbox: NEW })}>Create inbox</Button>
  return (
    <Section title="Inboxes" actions={rows.length > 0 && create}>
      <List
        {...query}
        label="Inboxes"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        empty={
          <Empty title="No inboxes on this domain yet">
            <p>Mail to an address without an inbox is refused.</p>
            <div>{create}</div>
          </Empty>
        }
      />
      <Suspense>
        {manage && (shown || shownId === NEW) && (
          <InboxDialog key={shownId} domain={domain} inbox={shown} onClose={close} />
        )}
      </Suspense>
      {isMissing && <NotFoundDialog noun="Inbox" onClose={close} />}
      {deleting && (
        <Confirm
          open
          onOpenChange={() => setDeleting(null)}
          title="Delete inbox"
          description="Deletes the inbox with all its mail. New mail to it is refused."
          action="Delete inbox"
          typed={deleting.address}
          onConfirm={async () => {
            await api.inboxes.remove(deleting.id)
            void refreshInboxes()
            say("Inbox deleted")
          }}
        />
      )}
    </Section>
  )
}
