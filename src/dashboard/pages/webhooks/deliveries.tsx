import { useMemo } from "react"
import { iterate } from "../../../client/pages.ts"
import type { CallOptions } from "../../../client/request.ts"
import type { Webhook } from "../../../client/types.ts"
import type { readDeliveries } from "../../../worker/webhooks/dashboard-contract.ts"
import type { listDeliveries } from "../../../worker/webhooks/deliveries/contract.ts"
import { DELIVERY_STATES } from "../../../worker/webhooks/events/types.ts"
import { call, path } from "../../api/api.ts"
import { useLivePages } from "../../api/live-pages.ts"
import type { PageQuery } from "../../api/pages.ts"
import { readByIds, refresh } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { Badge, sentence } from "../../ui/badge.tsx"
import { Button, hint } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { ExportButton } from "../../ui/export/export-button.tsx"
import { doForEach } from "../../ui/export/for-each.ts"
import { type Column, List } from "../../ui/list/list.tsx"
import { SearchedBack } from "../../ui/list/searched-back.tsx"
import { SelectionBar, useSelection, withSelection } from "../../ui/list/selection.tsx"
import { Select } from "../../ui/menu/select.tsx"
import { counted } from "../../ui/numbers.ts"
import { Section } from "../../ui/page.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { Time } from "../../ui/time/time.tsx"
import { exactTime } from "../../ui/time/times.ts"
import { say } from "../../ui/toast.tsx"
import { replay } from "./data.ts"

type DeliveryPage = ReplyOf<typeof listDeliveries>
type Delivery = DeliveryPage["data"][number]

const EXPORTED: Record<string, (delivery: Delivery) => string | number | null> = {
  id: ({ id }) => id,
  event_id: ({ eventId }) => eventId,
  event_type: ({ eventType }) => eventType,
  about: ({ about }) => about,
  state: ({ state }) => state,
  attempts: ({ attemptCount }) => attemptCount,
  created_at: ({ createdAt }) => createdAt,
  completed_at: ({ completedAt }) => completedAt,
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    head: "About",
    width: "minmax(0, 2fr)",
    cell: ({ id, about }) => (
      <Link to={`/deliveries/${id}`} className="font-medium">
        {about ?? "Test"}
      </Link>
    ),
    below: ({ eventType, createdAt }) => (
      <>
        <Time at={createdAt} /> · {eventType}
      </>
    ),
  },
  { head: "Event", width: "minmax(0, 1.5fr)", cell: ({ eventType }) => eventType },
  {
    head: "State",
    width: "minmax(96px, 1fr)",
    phone: true,
    cell: (delivery) => <DeliveryState {...delivery} />,
  },
  { head: "Attempts", width: "72px", right: true, cell: ({ attemptCount }) => attemptCount },
  {
    head: "Next attempt",
    width: "minmax(0, 1fr)",
    right: true,
    cell: ({ nextAttemptAt }) => <NextAttempt at={nextAttemptAt} />,
  },
  {
    head: "Queued",
    width: "minmax(96px, 1fr)",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** An attempt whose time has passed is shown as due. */
export function NextAttempt({ at }: { at: string | null }) {
  if (at === null || Date.parse(at) > Date.now()) return <Time at={at} />
  return <span {...hint(`Since ${exactTime(at)}`)}>Due</span>
}

type State = (typeof DELIVERY_STATES)[number]

const GIVEN_UP = "Given up"

/** A pending delivery that was tried before is being retried. */
export function DeliveryState({ state, attemptCount }: { state: State; attemptCount: number }) {
  if (state === "pending" && attemptCount > 0) return <Badge state="retrying" />
  if (state === "exhausted") return <Badge state="failed" label={GIVEN_UP} />
  return <Badge state={state} />
}

const STATE_OPTIONS = DELIVERY_STATES.map(
  (state) => [state, state === "exhausted" ? GIVEN_UP : sentence(state)] as const,
)

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [{ state }, setFilters] = useFilters()
  const key = ["webhooks", "deliveries", webhook.id, state] as const
  const list = (query: PageQuery, options?: CallOptions) =>
    call<typeof listDeliveries>(
      {
        method: "GET",
        path: path`/webhooks/${webhook.id}/deliveries`,
        query: { ...query, ...(state && { state }) },
      },
      options,
    )
  const pages = useLivePages<Delivery>(key, list, {
    type: "webhook",
    mayChange: ({ state }) => state === "pending",
    readRows: (all, options) =>
      readByIds(all, (ids) =>
        call<typeof readDeliveries>(
          { method: "GET", path: path`/webhooks/${webhook.id}/delivery-rows`, query: { ids } },
          options,
        ),
      ),
  })
  const selection = useSelection(pages.rows)
  const columns = useMemo(
    () => withSelection(COLUMNS, selection, ({ about, eventType }) => `${eventType} of ${about}`),
    [selection],
  )
  const searchedUntil = (pages.data?.pages.at(-1) as DeliveryPage | undefined)?.searchedUntil
  return (
    <Section
      title="Deliveries"
      about="Kept for 30 days, newest first."
      actions={
        <>
          {pages.rows.length > 0 && (
            <ExportButton
              noun="deliveries"
              read={(signal) => iterate(list, { limit: 100 }, { signal })}
              columns={EXPORTED}
            />
          )}
          <Select
            aria-label="State"
            className="w-40!"
            value={state ?? ""}
            onChange={(state) => setFilters({ state })}
            options={[["", "Any state"], ...STATE_OPTIONS]}
          />
        </>
      }
    >
      <List
        {...pages}
        hasNextPage={pages.hasNextPage && !searchedUntil}
        label="Deliveries"
        columns={columns}
        rowKey={({ id }) => id}
        href={({ id }) => `/deliveries/${id}`}
        empty={
          state ? (
            <Empty title={`No deliveries in this state${pages.hasNextPage ? " so far" : ""}`}>
              <SearchedBack
                at={searchedUntil}
                isSearching={pages.isFetchingNextPage}
                onSearch={pages.fetchNextPage}
              />
              <Button
                onClick={() => setFilters({ state: undefined })}
                className="justify-self-start"
              >
                Show all deliveries
              </Button>
            </Empty>
          ) : (
            <FirstDelivery webhook={webhook} refetch={pages.refetch} />
          )
        }
      />
      {pages.rows.length > 0 && (
        <SearchedBack
          at={searchedUntil}
          isSearching={pages.isFetchingNextPage}
          onSearch={pages.fetchNextPage}
        />
      )}
      <SelectionBar selection={selection} noun="delivery" nouns="deliveries">
        {(rows) => (
          <TaskButton
            small
            run={() => replayAll(rows)}
            disabledBecause={!webhook.enabled && "The webhook is disabled"}
          >
            Replay
          </TaskButton>
        )}
      </SelectionBar>
    </Section>
  )
}

async function replayAll(deliveries: readonly Delivery[]) {
  const done = await doForEach(deliveries, ({ id }) => replay(id))
  refresh("webhooks")
  if (done.length > 0) say(`${counted(done.length, "replay")} queued`)
}

const FirstDelivery = ({ webhook, refetch }: { webhook: Webhook; refetch(): unknown }) => (
  <FirstCall
    title="No deliveries yet"
    request={requestOf("POST", `/webhooks/${webhook.id}/test`, "webhooks.test", webhook.id)}
    refetch={refetch}
  >
    <p>Send a test to see how your server responds.</p>
  </FirstCall>
)
