import { Suspense, useState } from "react"
import type { Webhook } from "../../../client/types.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { queries } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { useFilters } from "../../app/params.ts"
import { Button } from "../../ui/button.tsx"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { TaskButton } from "../../ui/task-button.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { catchUp, changeWebhook, healthQuery, positionAt } from "./data.ts"

const Dialogs = lazy(() => import("./dialogs.tsx"))

export type Open = "edit" | "rotate" | "replay" | "catchUp" | "delete"

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [{ test }, setFilters] = useFilters()
  const [open, setOpen] = useState<Open>()
  const { id, enabled, createdAt } = webhook
  const enable = async () => {
    await changeWebhook(id, { enabled: true })
    say("Webhook enabled. Use “Catch up” to get missed events.")
  }
  /** Undo queues the deliveries that were dropped, and the events that came meanwhile. */
  const disable = async () => {
    const { data } = await queries.fetchQuery({ ...healthQuery, staleTime: 0 })
    const hasPending = data.some((one) => one.webhookId === id && one.pending > 0)
    const since = Math.max(Date.parse(createdAt), Date.now() - DAY_MS)
    // Read before, and without the clock of this device, which may be ahead.
    const after = await positionAt(hasPending ? since : undefined)
    await changeWebhook(id, { enabled: false })
    say("Webhook disabled. Pending deliveries were dropped.", async () => {
      await changeWebhook(id, { enabled: true })
      await catchUp(id, after)
    })
  }
  return (
    <>
      {enabled ? (
        <Button kind="primary" onClick={() => setFilters({ test: "true" })}>
          Send test
        </Button>
      ) : (
        <TaskButton kind="primary" run={enable}>
          Enable webhook
        </TaskButton>
      )}
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <MoreMenu
        deletion={false}
        request={requestOf("GET", `/webhooks/${id}`, "webhooks.get", id)}
        items={[
          enabled && { label: "Replay all failed", onSelect: () => setOpen("replay") },
          enabled && { label: "Catch up", onSelect: () => setOpen("catchUp") },
          { label: "Rotate signing secret", onSelect: () => setOpen("rotate") },
          enabled && { label: "Disable webhook", onSelect: () => void disable().catch(sayError) },
          { label: "Delete webhook", danger: true, onSelect: () => setOpen("delete") },
        ]}
      />
      <Suspense>
        {(open || test) && (
          <Dialogs
            webhook={webhook}
            open={open ?? "test"}
            onClose={() => {
              setOpen(undefined)
              if (test) setFilters({ test: undefined })
            }}
          />
        )}
      </Suspense>
    </>
  )
}
