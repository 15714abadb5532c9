import { X } from "lucide-react"
import { useState } from "react"
import {
  type listRefusedCalls,
  REFUSED_CALL_DAYS,
} from "../../../worker/access/refused-calls/contract.ts"
import { call } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { SearchedBack } from "../../ui/list/searched-back.tsx"
import { number } from "../../ui/numbers.ts"
import { Facts, Page } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import { Time } from "../../ui/time/time.tsx"
import { remedyOf } from "./what-to-do.ts"

type RefusedPage = ReplyOf<typeof listRefusedCalls>
type RefusedCall = RefusedPage["data"][number]

export default function RefusedCalls() {
  const [{ keyId }, setFilters] = useFilters()
  const [shown, setShown] = useState<RefusedCall | null>(null)
  const pages = usePages<RefusedCall>(["refused-calls", keyId], (query) =>
    call<typeof listRefusedCalls>({
      method: "GET",
      path: "/refused-calls",
      query: { ...query, ...(keyId && { keyId }) },
    }),
  )
  const searchedUntil = (pages.data?.pages.at(-1) as RefusedPage | undefined)?.searchedUntil
  const further = (
    <SearchedBack
      at={searchedUntil}
      isSearching={pages.isFetchingNextPage}
      onSearch={pages.fetchNextPage}
    />
  )
  return (
    <Page
      title="Refused calls"
      about={`API calls that were refused, and why. Kept for ${REFUSED_CALL_DAYS} days.`}
      actions={
        <AsRequestButton
          method="GET"
          path="/refused-calls"
          library="const { data } = await edgepost.refusedCalls()"
        />
      }
    >
      {keyId && (
        <Button onClick={() => setFilters({ keyId: undefined })} className="justify-self-start">
          Key: {pages.rows[0]?.key.name ?? keyId}
          <X size={14} aria-hidden />
          <span className="sr-only">Remove this filter</span>
        </Button>
      )}
      <List
        {...pages}
        hasNextPage={pages.hasNextPage && !searchedUntil}
        label="Refused calls"
        columns={columns(setShown, (keyId) => setFilters({ keyId }))}
        rowKey={({ id }) => id}
        empty={
          <Empty title={searchedUntil ? "No matches so far" : "No refused calls"}>
            {searchedUntil ? (
              further
            ) : (
              <p>Calls without a valid key belong to no team and are not listed.</p>
            )}
          </Empty>
        }
      />
      {pages.rows.length > 0 && further}
      {shown && <Details refused={shown} onClose={() => setShown(null)} />}
    </Page>
  )
}

const columns = (
  show: (refused: RefusedCall) => void,
  filter: (keyId: string) => void,
): Column<RefusedCall>[] => [
  {
    head: "Why",
    width: "minmax(0, 5fr)",
    cell: (refused) => (
      <button
        type="button"
        className="max-w-full truncate font-medium underline decoration-dotted underline-offset-4"
        onClick={() => show(refused)}
      >
        {refused.message}
      </button>
    ),
    below: ({ call, key }) => [call, key.name].filter(Boolean).join(" · "),
  },
  {
    head: "Call",
    width: "minmax(0, 2.5fr)",
    cell: ({ call }) => <code className="font-mono text-xs">{call}</code>,
  },
  {
    head: "Key",
    width: "minmax(0, 1.5fr)",
    cell: ({ key }) => (
      <button
        type="button"
        className="max-w-full truncate underline-offset-2 hover:underline"
        aria-label={`Show only calls of ${nameOf(key)}`}
        onClick={() => filter(key.id)}
      >
        {nameOf(key)}
      </button>
    ),
  },
  { head: "Times", width: "64px", right: true, cell: ({ count }) => number(count) },
  { head: "When", width: "96px", right: true, phone: true, cell: ({ at }) => <Time at={at} /> },
]

const nameOf = ({ name }: RefusedCall["key"]) => name ?? "Revoked key"

function Details({ refused, onClose }: { refused: RefusedCall; onClose(): void }) {
  const { message, call, code, key, count, at } = refused
  const remedy = remedyOf(code)
  return (
    <Dialog open onOpenChange={onClose} title="Refused call" description={message}>
      <div className="grid gap-4">
        {remedy && (
          <div className="rounded-md bg-sunken p-3">
            <p>{remedy.what}</p>
            {remedy.link && (
              <p className="mt-1">
                <Link to={remedy.link[0]} className="underline underline-offset-2">
                  {remedy.link[1]}
                </Link>
              </p>
            )}
          </div>
        )}
        <Facts
          facts={[
            [
              "Call",
              <code key="call" className="font-mono text-xs">
                {call}
              </code>,
            ],
            [
              "Code",
              <code key="code" className="font-mono text-xs">
                {code}
              </code>,
            ],
            ["Key", nameOf(key)],
            ["Times", `${number(count)} in this minute`],
            ["When", <Time key="at" at={at} />],
          ]}
        />
      </div>
    </Dialog>
  )
}
