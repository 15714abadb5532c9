import { useRef, useState } from "react"
import type { Webhook } from "../../../client/types.ts"
import type { rotateSecret } from "../../../worker/webhooks/dashboard-contract.ts"
import { call, path } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog.tsx"
import { Switch } from "../../ui/field.tsx"
import { Secret } from "../../ui/secret.tsx"

export function Rotate({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [overlap, setOverlap] = useState(true)
  const [secret, setSecret] = useState<string>()
  const isReplaced = useRef(false)
  if (secret !== undefined) {
    return (
      <Dialog open onOpenChange={onClose} title="The new secret">
        <div className="grid gap-4">
          <Secret label="Secret" secret={secret} />
          <p>
            {overlap
              ? "Requests carry a signature of the old secret, too, for 24 hours: replace it on your server within that time."
              : "Requests are signed with this secret alone from now on."}
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
      title="Replace the secret"
      action="Replace secret"
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
        hint="Both sign each request meanwhile, so nothing is refused while you replace it. Turn this off when the secret has leaked."
        checked={overlap}
        onChange={setOverlap}
      />
    </Confirm>
  )
}
