import { useNavigate } from "@tanstack/react-router"
import { updateWebhook } from "../../../worker/webhooks/contract.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { requestBody, saveChanges } from "../../ui/changes.ts"
import { Confirm, Dialog } from "../../ui/dialog/dialog.tsx"
import { saveRequest } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import type { Open } from "./actions.tsx"
import { CatchUp, ReplayFailed } from "./catch-up.tsx"
import { changeWebhook, type DialogProps, WEBHOOKS } from "./data.ts"
import { Rotate } from "./rotate.tsx"
import { TestCall } from "./test-call.tsx"
import { WebhookForm } from "./webhook-form.tsx"

export default function WebhookDialogs({ open, ...props }: DialogProps & { open: Open | "test" }) {
  const Shown = DIALOGS[open]
  return <Shown {...props} />
}

function Edit({ webhook, onClose }: DialogProps) {
  return (
    <Dialog wide open onOpenChange={onClose} title="Edit webhook">
      <WebhookForm
        schema={updateWebhook.json}
        values={{ name: webhook.name ?? "", url: webhook.url, events: webhook.events }}
        submit="Save"
        request={(values, changes) =>
          saveRequest("/webhooks", "webhooks", webhook, requestBody(changes, values))
        }
        onSubmit={async (_, changes) => {
          await saveChanges(webhook, changes, (body) => changeWebhook(webhook.id, body))
          say("Saved")
          onClose()
        }}
      />
    </Dialog>
  )
}

function Delete({ webhook, onClose }: DialogProps) {
  const navigate = useNavigate()
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Delete webhook"
      description="Its deliveries and their attempts are deleted with it. This cannot be undone."
      action="Delete webhook"
      typed={webhook.name ?? new URL(webhook.url).host}
      onConfirm={async () => {
        await api.webhooks.remove(webhook.id)
        queries.invalidateQueries({ queryKey: WEBHOOKS })
        say("Webhook deleted")
        await navigate({ href: "/dashboard/webhooks" })
      }}
    />
  )
}

const DIALOGS = {
  test: TestCall,
  edit: Edit,
  rotate: Rotate,
  replay: ReplayFailed,
  catchUp: CatchUp,
  delete: Delete,
}
