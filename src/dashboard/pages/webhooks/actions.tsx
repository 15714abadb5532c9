import { Ellipsis } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import type { Webhook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useFilters } from "../../app/params.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { Menu } from "../../ui/menu.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { WEBHOOKS, webhookQuery } from "./data.ts"

const Dialogs = lazy(() => import("./dialogs.tsx"))

export type Open = "edit" | "rotate" | "replay" | "catchUp" | "disable" | "delete"

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [{ test }, setFilters] = useFilters()
  const [open, setOpen] = useState<Open>()
  const { id, enabled } = webhook
  const enable = async () => {
    const changed = await api.webhooks.update(id, { enabled: true })
    queries.setQueryData(webhookQuery(id).queryKey, changed)
    queries.invalidateQueries({ queryKey: WEBHOOKS })
    say("Enabled. Catch up to get what it missed.")
  }
  return (
    <>
      {enabled ? (
        <Button kind="primary" onClick={() => setFilters({ test: "true" })}>
          Send a test call
        </Button>
      ) : (
        <Button kind="primary" onClick={() => void enable().catch(sayError)}>
          Enable webhook
        </Button>
      )}
      <Button onClick={() => setOpen("edit")}>Edit</Button>
      <Menu
        trigger={
          <IconButton label="More actions">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={[
          enabled && { label: "Replay all failed", onSelect: () => setOpen("replay") },
          enabled && { label: "Catch up", onSelect: () => setOpen("catchUp") },
          { label: "Replace the secret", onSelect: () => setOpen("rotate") },
          enabled && { label: "Disable webhook", onSelect: () => setOpen("disable") },
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
