import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { createWebhook } from "../../../worker/webhooks/contract.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { Secret } from "../../ui/form/secret.tsx"
import { Snippet } from "../../ui/request/snippet.tsx"
import { WEBHOOKS } from "./data.ts"
import { verifyCodes } from "./verify-codes.ts"
import { WebhookForm } from "./webhook-form.tsx"

interface Created {
  id: string
  secret: string
}

/** Asks for a URL and events, then shows the secret once. */
export default function CreateWebhook({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<Created>()
  const navigate = useNavigate()
  if (created) {
    return (
      <Dialog wide open onOpenChange={onClose} title="Webhook added">
        <div className="grid gap-4">
          <Secret label="Signing secret" secret={created.secret} />
          <div className="grid gap-2">
            <p className="font-medium">Verify requests</p>
            <Snippet codes={verifyCodes()} />
          </div>
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Close</Button>
            <Button
              kind="primary"
              onClick={() =>
                navigate({ href: `/dashboard/webhooks/${created.id}?test=true`, replace: true })
              }
            >
              Send test
            </Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog wide open onOpenChange={onClose} title="Add webhook">
      <WebhookForm
        schema={createWebhook.json}
        values={{
          name: "",
          url: "",
          events: ["email.delivered", "email.bounced", "email.complained"],
        }}
        submit="Add webhook"
        request={(values) => ({
          method: "POST",
          path: "/webhooks",
          json: values,
          library: `const { secret } = await edgepost.webhooks.create(${JSON.stringify(values, null, 2)})`,
        })}
        onSubmit={async (values) => {
          setCreated(await api.webhooks.create(values))
          queries.invalidateQueries({ queryKey: WEBHOOKS })
        }}
      />
    </Dialog>
  )
}
