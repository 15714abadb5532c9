import { useQuery } from "@tanstack/react-query"
import type { Webhook } from "../../../client/types.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { useRefresh } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { useParam } from "../../app/params.ts"
import { Card, Facts, Page } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { Time } from "../../ui/time/time.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { WebhookActions } from "./actions.tsx"
import { HEALTH, type Health, healthQuery, webhookQuery } from "./data.ts"
import { Deliveries } from "./deliveries.tsx"
import { answerOf, Counts, WebhookState } from "./state.tsx"

export default function WebhookPage() {
  return (
    <ManagersOnly title="Webhook">
      <OneWebhook />
    </ManagersOnly>
  )
}

function OneWebhook() {
  const id = useParam("id")
  const query = useQuery(webhookQuery(id))
  const { data: healths } = useQuery(healthQuery)
  useRefresh("webhook", [HEALTH])
  const health = healths?.data.find(({ webhookId }) => webhookId === id)
  return (
    <Page
      title={query.data ? (query.data.name ?? query.data.url) : "Webhook"}
      above={<Link to="/webhooks">Webhooks</Link>}
      about={query.data && <Warning webhook={query.data} health={health} />}
      actions={query.data && <WebhookActions webhook={query.data} />}
    >
      <Loaded query={query}>
        {(webhook) => (
          <>
            <Card>
              <Facts
                facts={[
                  ["State", <WebhookState key="state" webhook={webhook} />],
                  ["Last 24 hours", <Last24Hours key="counts" health={health} />],
                  health?.lastFailure && [
                    "Last failure",
                    <Link key="failure" to={`/deliveries/${health.lastFailure.deliveryId}`}>
                      <Time at={health.lastFailure.at} /> · {answerOf(health.lastFailure)}
                    </Link>,
                  ],
                  webhook.name !== null && ["URL", webhook.url],
                  ["Events", webhook.events.join(", ")],
                  ["ID", <Mono key="id" text={webhook.id} copy />],
                  ["Added", <Time key="added" at={webhook.createdAt} />],
                ]}
              />
            </Card>
            <Deliveries webhook={webhook} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const CUT_MS = 60_000

function Last24Hours({ health }: { health: Health | undefined }) {
  const isCut = health && Date.parse(health.since) > Date.now() - DAY_MS + CUT_MS
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      <Counts health={health} />
      {isCut && (
        <span className="text-muted">
          counted since <Time at={health.since} />
        </span>
      )}
    </span>
  )
}

/** The connection failed; a slow server has other words, or a status. */
const IS_AWAY = /^No answer:/

/** The webhook's problem and its consequences. */
function Warning({ webhook, health }: { webhook: Webhook; health: Health | undefined }) {
  if (!webhook.enabled) {
    return webhook.disabledReason
      ? `Disabled: ${webhook.disabledReason} Fix your server, enable the webhook, then catch up.`
      : "Disabled. It gets no events until you enable it."
  }
  if (health?.probeAt) {
    return (
      <>
        {IS_AWAY.test(health.lastFailure?.error ?? "")
          ? "Your server cannot be reached"
          : "Your server responds too slowly"}
        , so it gets one delivery at a time. Next delivery: <Time at={health.probeAt} />
      </>
    )
  }
  if (!webhook.failingSince) return null
  return (
    <>
      All attempts have failed since <Time at={webhook.failingSince} />. After 24 hours of failures,
      the webhook is disabled.
    </>
  )
}
