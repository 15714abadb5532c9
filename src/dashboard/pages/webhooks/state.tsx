import type { Webhook } from "../../../client/types.ts"
import { Badge } from "../../ui/badge.tsx"
import { number } from "../../ui/numbers.ts"
import type { Health } from "./data.ts"

/** "Failing" is an enabled webhook whose last attempt failed. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) return <Badge state="disabled" tone="waiting" />
  return webhook.failingSince ? <Badge state="failed" label="Failing" /> : <Badge state="enabled" />
}

export function Counts({ health, none = "None" }: { health: Health | undefined; none?: string }) {
  if (!health) return <span className="text-muted">–</span>
  const { succeeded, failed, pending } = health
  if (succeeded + failed + pending === 0) return <span className="text-muted">{none}</span>
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      {failed > 0 && <Badge state="failed" label={`${number(failed)} failed`} />}
      {pending > 0 && <Badge state="pending" label={`${number(pending)} pending`} />}
      {succeeded > 0 && <Badge state="succeeded" label={`${number(succeeded)} succeeded`} />}
    </span>
  )
}

/** "HTTP 500", or why there was no answer. */
export const answerOf = ({
  statusCode,
  error,
}: {
  statusCode: number | null
  error: string | null
}) => (statusCode === null ? (error ?? "No answer") : `HTTP ${statusCode}`)
