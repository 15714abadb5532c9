import { useRef, useState } from "react"
import type { rotateSecret } from "../../../worker/webhooks/dashboard-contract.ts"
import { call, path } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog/dialog.tsx"
import { Switch } from "../../ui/form/field.tsx"
import { Secret } from "../../ui/form/secret.tsx"
import type { DialogProps } from "./data.ts"

export function Rotate({ webhook, onClose }: DialogProps) {
  const [overlap, setOverlap] = useState(true)
  const [secret, setSecret] = useState<string>()
  const isReplaced = useRef(false)
  if (secret !== undefined) {
    return (
      <Dialog open onOpenChange={onClose} title="New signing secret">
        <div className="grid gap-4">
          <Secret label="Signing secret" secret={secret} />
          <p>
            {overlap
              ? "Requests are signed with both secrets for 24 hours. Replace the secret on your server in that time."
              : "Requests are now signed with this secret only."}
          </p>
          <div className="flex justify-end">
            <Button onClick={onClose}>Done</Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <Confirm
      open
      onOpenChange={() => isReplaced.current || onClose()}
      title="Rotate signing secret"
      action="Rotate secret"
      kind={overlap ? "primary" : "danger"}
      onConfirm={async () => {
        const reply = await call<typeof rotateSecret>({
          method: "POST",
          path: path`/webhooks/${webhook.id}/rotate-secret`,
          body: { overlap },
        })
        isReplaced.current = true
        setSecret(reply.secret)
      }}
    >
      <Switch
        label="Keep the old secret for 24 hours"
        hint="Requests are signed with both secrets, so you can replace it without downtime. Turn this off if the secret has leaked."
        checked={overlap}
        onChange={setOverlap}
      />
    </Confirm>
  )
}
