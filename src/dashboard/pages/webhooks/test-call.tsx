import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { sendSampleEvent } from "../../../worker/webhooks/dashboard-contract.ts"
import { EVENT_TYPES, type EventType } from "../../../worker/webhooks/events/types.ts"
import { api, call, path } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { useTask } from "../../ui/use-task.ts"
import { AttemptCard } from "./attempt.tsx"
import { type DialogProps, deliveryQuery } from "./data.ts"

const ASK_EVERY_MS = 500

type Choice = "test" | EventType

const OPTIONS: readonly (readonly [Choice, string])[] = [
  ["test", 'Minimal: {"test": true}'],
  ...EVENT_TYPES.map((type) => [type, type] as const),
]

const sendTest = (id: string, type: Choice) =>
  type === "test"
    ? api.webhooks.test(id)
    : call<typeof sendSampleEvent>({
        method: "POST",
        path: path`/webhooks/${id}/test-event`,
        body: { type },
      })

/** Sends an event of a chosen type, and shows the answer as soon as it is there. */
export function TestCall({ webhook, onClose }: DialogProps) {
  const [type, setType] = useState<Choice>(webhook.events[0] ?? "test")
  const [sent, setSent] = useState<{ deliveryId?: string }>({})
  const { busy, error, run } = useTask(async () => {
    setSent({})
    setSent(await sendTest(webhook.id, type))
  })
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title="Send test"
      description="Sends a signed request with made-up data to your server."
    >
      <div className="grid gap-4" aria-live="polite">
        <SelectField<Choice> label="Event" value={type} onChange={setType} options={OPTIONS} />
        {error !== null && <ErrorBox error={error} retry={run} />}
        {sent.deliveryId && <Answer id={sent.deliveryId} url={webhook.url} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Done</Button>
          <Button kind="primary" busy={busy} onClick={run}>
            {sent.deliveryId ? "Send another" : "Send test"}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function Answer({ id, url }: { id: string; url: string }) {
  const { data: delivery } = useQuery({
    ...deliveryQuery(id),
    refetchInterval: ({ state }) => (state.data?.attempts.length ? false : ASK_EVERY_MS),
  })
  const attempt = delivery?.attempts[0]
  return (
    <>
      {attempt ? (
        <AttemptCard attempt={attempt} />
      ) : (
        <p className="min-h-24 text-muted wrap-anywhere">Waiting for a response from {url} …</p>
      )}
      <Link to={`/deliveries/${id}`} className="justify-self-start underline">
        Open the delivery
      </Link>
    </>
  )
}
