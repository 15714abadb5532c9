import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useRefresh } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { useParam } from "../../app/params.ts"
import { Card, Facts, Page, Section } from "../../ui/page.tsx"
import { Mono } from "../../ui/request/copy.tsx"
import { Snippet } from "../../ui/request/snippet.tsx"
import { TaskButton } from "../../ui/task-button.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { AttemptCard } from "./attempt.tsx"
import {
  type DeliveryDetail,
  deliveryQuery,
  deliveryRequestQuery,
  replay,
  titleOf,
  webhookQuery,
} from "./data.ts"
import { DeliveryState, NextAttempt } from "./deliveries.tsx"

export default function DeliveryPage() {
  return (
    <ManagersOnly title="Delivery">
      <OneDelivery />
    </ManagersOnly>
  )
}

function OneDelivery() {
  const id = useParam("id")
  const query = useQuery(deliveryQuery(id))
  useRefresh("webhook", [["delivery", id]])
  const delivery = query.data
  return (
    <Page
      title={delivery?.eventType ?? "Delivery"}
      above={
        delivery ? (
          <Link to={`/webhooks/${delivery.webhookId}`}>Webhook</Link>
        ) : (
          <Link to="/webhooks">Webhooks</Link>
        )
      }
      actions={delivery && <Replay delivery={delivery} />}
    >
      <Loaded query={query}>
        {(delivery) => (
          <>
            <DeliveryFacts delivery={delivery} />
            <Attempts delivery={delivery} />
            <Section title="Payload">
              <Snippet
                codes={[{ name: "JSON", code: JSON.stringify(delivery.payload, null, 2) }]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** What the event is about, where it has a page. */
function subjectOf({ data }: DeliveryDetail["payload"]): readonly [string, string] | null {
  const idOf = (name: string) => (data[name] as { id?: string } | undefined)?.id
  const places = [
    ["Email", "email", "/emails/"],
    ["Domain", "domain", "/domains/"],
    ["Campaign", "campaign", "/campaigns/"],
  ] as const
  const found = places.find(([, name]) => idOf(name))
  return found ? [found[0], `${found[2]}${idOf(found[1])}`] : null
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { data: webhook } = useQuery(webhookQuery(delivery.webhookId))
  const subject = subjectOf(delivery.payload)
  return (
    <Card>
      <Facts
        facts={[
          ["State", <DeliveryState key="state" {...delivery} />],
          delivery.nextAttemptAt !== null && [
            "Next attempt",
            <NextAttempt key="next" at={delivery.nextAttemptAt} />,
          ],
          webhook && [
            "Webhook",
            <Link key="webhook" to={`/webhooks/${webhook.id}`}>
              {titleOf(webhook)}
            </Link>,
          ],
          subject && [
            subject[0],
            <Link
              key="subject"
              to={subject[1]}
              className="inline-block font-mono text-xs text-balance underline underline-offset-2 break-all max-sm:text-[11px]"
            >
              {subject[1].slice(subject[1].lastIndexOf("/") + 1)}
            </Link>,
          ],
          ["Event ID", <Mono key="event" text={delivery.eventId} copy />],
          ["Delivery ID", <Mono key="id" text={delivery.id} copy />],
          ["Queued", <Time key="queued" at={delivery.createdAt} />],
          ["Completed", <Time key="completed" at={delivery.completedAt} />],
        ]}
      />
    </Card>
  )
}

function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const { data: request } = useQuery(deliveryRequestQuery(delivery.id))
  const headersOf = (number: number) =>
    request?.attempts.find((attempt) => attempt.number === number)?.headers
  return (
    <Section
      title="Attempts"
      about="Headers as they were sent, without the signature. The URL is the current one."
    >
      {delivery.attempts.length === 0 && (
        <p className="text-muted">
          {delivery.state === "pending" ? "No attempts yet." : "No attempts were made."}
        </p>
      )}
      {delivery.attempts.toReversed().map((attempt) => {
        const headers = headersOf(attempt.number)
        return (
          <AttemptCard
            key={attempt.number}
            attempt={attempt}
            request={request && headers && { url: request.url, headers }}
          />
        )
      })}
    </Section>
  )
}

function Replay({ delivery }: { delivery: DeliveryDetail }) {
  const navigate = useNavigate()
  const { data: webhook } = useQuery(webhookQuery(delivery.webhookId))
  const again = async () => {
    const { deliveryId } = await replay(delivery.id)
    say("Replay queued. This is the new delivery.")
    await navigate({ href: `/dashboard/deliveries/${deliveryId}` })
  }
  return (
    <TaskButton
      kind="primary"
      run={again}
      disabledBecause={webhook && !webhook.enabled && "The webhook is disabled"}
    >
      Replay
    </TaskButton>
  )
}
