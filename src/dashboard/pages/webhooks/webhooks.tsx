import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import type { Webhook } from "../../../client/types.ts"
import { useRefresh } from "../../api/pages.ts"
import { FirstCall } from "../../app/first-call.tsx"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { useFilters } from "../../app/params.ts"
import { Button } from "../../ui/button.tsx"
import { type Column, List } from "../../ui/list/list.tsx"
import { Page } from "../../ui/page.tsx"
import { ListAsRequest } from "../../ui/request/as-request.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Time } from "../../ui/time/time.tsx"
import {
  HEALTH,
  type Health,
  healthQuery,
  shortUrl,
  titleOf,
  WEBHOOKS,
  webhooksQuery,
} from "./data.ts"
import { answerOf, Counts, WebhookState } from "./state.tsx"

const CreateWebhook = lazy(() => import("./create.tsx"))

interface Row extends Webhook {
  health: Health | undefined
}

const COLUMNS: readonly Column<Row>[] = [
  {
    head: "Webhook",
    width: "minmax(0, 3fr)",
    cell: (webhook) => (
      <>
        <Link to={`/webhooks/${webhook.id}`} className="font-medium">
          {titleOf(webhook)}
        </Link>
        {webhook.name && (
          <span className="ml-2 text-muted max-md:hidden">{shortUrl(webhook.url)}</span>
        )}
      </>
    ),
    below: ({ name, url, health }) =>
      name ? shortUrl(url) : <Counts health={health} none="No deliveries in 24 hours" />,
  },
  {
    head: "State",
    width: "minmax(84px, 1fr)",
    phone: true,
    cell: (webhook) => <WebhookState webhook={webhook} />,
  },
  {
    head: "Last 24 hours",
    width: "minmax(0, 2.5fr)",
    cell: ({ health }) => <Counts health={health} />,
  },
  {
    head: "Last failure",
    width: "minmax(0, 2fr)",
    cell: ({ health }) =>
      health?.lastFailure ? (
        <Link
          to={`/deliveries/${health.lastFailure.deliveryId}`}
          className="underline underline-offset-2"
        >
          <Time at={health.lastFailure.at} /> · {answerOf(health.lastFailure)}
        </Link>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  { head: "Events", width: "64px", right: true, cell: ({ events }) => events.length },
]

const FIRST = requestOf("POST", "/webhooks", "webhooks.create", {
  url: "https://example.com/webhooks",
  events: ["email.delivered", "email.bounced"],
})

export default function Webhooks() {
  return (
    <ManagersOnly title="Webhooks">
      <AllWebhooks />
    </ManagersOnly>
  )
}

function AllWebhooks() {
  const [{ new: isNew }, setFilters] = useFilters()
  const webhooks = useQuery(webhooksQuery)
  const health = useQuery(healthQuery)
  useRefresh("webhook", [WEBHOOKS, HEALTH])
  const healthOf = new Map(health.data?.data.map((one) => [one.webhookId, one]))
  const rows = webhooks.data?.data.map((one) => ({ ...one, health: healthOf.get(one.id) })) ?? []
  const create = (
    <Button kind="primary" onClick={() => setFilters({ new: "true" })}>
      Add webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="Get a signed request for every event, retried up to six times."
      actions={
        <>
          {rows.length > 0 && create}
          <ListAsRequest path="/webhooks" />
        </>
      }
    >
      <List
        {...webhooks}
        label="Webhooks"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        href={({ id }) => `/webhooks/${id}`}
        empty={
          <FirstCall title="No webhooks yet" request={FIRST} refetch={webhooks.refetch}>
            <p>
              Enter your server's URL and choose events. You get a signing secret, and a test shows
              how your server responds.
            </p>
            <div>{create}</div>
          </FirstCall>
        }
      />
      <Suspense>
        {isNew && <CreateWebhook onClose={() => setFilters({ new: undefined })} />}
      </Suspense>
    </Page>
  )
}
