import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Webhook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { AttemptCard } from "./attempt.tsx"
import { deliveryQuery } from "./data.ts"

const ASK_EVERY_MS = 500

/** Sends a test event at once, and shows the answer as soon as it is there. */
export function TestCall({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [round, setRound] = useState(0)
  const [sent, setSent] = useState<{ deliveryId?: string; error?: unknown }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a call
  useEffect(() => {
    let isOver = false
    setSent({})
    api.webhooks.test(webhook.id).then(
      ({ deliveryId }) => isOver || setSent({ deliveryId }),
      (error) => isOver || setSent({ error }),
    )
    return () => {
      isOver = true
    }
  }, [webhook.id, round])
  const { data: delivery } = useQuery({
    ...deliveryQuery(sent.deliveryId ?? ""),
    enabled: sent.deliveryId !== undefined,
    refetchInterval: ({ state }) => (state.data?.attempts.length ? false : ASK_EVERY_MS),
  })
  const attempt = delivery?.attempts[0]
  return (
    <Dialog
      wide
      open
      onOpenChange={onClose}
      title="Test call"
      description={
        <>
          An <code className="font-mono">email.delivered</code> event with the data{" "}
          <code className="font-mono">{'{"test": true}'}</code>, signed like any other.
        </>
      }
    >
      <div className="grid gap-4" aria-live="polite">
        {sent.error !== undefined ? (
          <ErrorBox error={sent.error} retry={() => setRound(round + 1)} />
        ) : attempt ? (
          <AttemptCard attempt={attempt} />
        ) : (
          <p className="min-h-24 text-muted">Waiting for the answer of {webhook.url} …</p>
        )}
        <div className="flex flex-wrap items-center justify-between gap-2">
          {sent.deliveryId ? (
            <Link to={`/deliveries/${sent.deliveryId}`} className="underline">
              Open the delivery
            </Link>
          ) : (
            <span />
          )}
          <div className="flex gap-2">
            <Button onClick={() => setRound(round + 1)}>Send another</Button>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      </div>
    </Dialog>
  )
}
