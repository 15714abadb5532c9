import { useQuery } from "@tanstack/react-query"
import type { listEmailDeliveries } from "../../../../worker/webhooks/dashboard-contract.ts"
import { call, path } from "../../../api/api.ts"
import type { ReplyOf } from "../../../api/session.ts"
import { Link } from "../../../app/link.tsx"
import { Badge } from "../../../ui/badge.tsx"
import { Empty } from "../../../ui/empty.tsx"
import { type Column, CREATED, List } from "../../../ui/list/list.tsx"

type Delivery = ReplyOf<typeof listEmailDeliveries>["data"][number]

const COLUMNS: readonly Column<Delivery>[] = [
  {
    head: "Event",
    width: "minmax(0, 2fr)",
    cell: ({ id, eventType }) => (
      <Link to={`/deliveries/${id}`} className="font-medium">
        {eventType}
      </Link>
    ),
  },
  { head: "Webhook", width: "minmax(0, 3fr)", cell: ({ webhookName, url }) => webhookName ?? url },
  { head: "State", width: "112px", phone: true, cell: ({ state }) => <Badge state={state} /> },
  { head: "Attempts", width: "80px", right: true, cell: ({ attemptCount }) => attemptCount },
  CREATED,
]

/** What webhooks were told of the email. */
export function EmailWebhooks({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ["email", id, "deliveries"],
    queryFn: () =>
      call<typeof listEmailDeliveries>({ method: "GET", path: path`/emails/${id}/deliveries` }),
  })
  return (
    <List
      {...query}
      label="Deliveries"
      columns={COLUMNS}
      rows={query.data?.data ?? []}
      rowKey={(delivery) => delivery.id}
      href={(delivery) => `/deliveries/${delivery.id}`}
      empty={<Empty title="No webhook events for this email" />}
    />
  )
}
