import type { renamePasskey } from "../../../worker/access/people/profile-contract.ts"
import { call, path } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import type { Passkey } from "./passkeys.tsx"

const loadSchema = async () =>
  (await import("../../../worker/access/people/profile-contract.ts")).renamePasskey.json

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const form = useSchemaForm(loadSchema, { name: passkey.name })
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title="Rename passkey">
      <Form
        form={form}
        submit="Rename passkey"
        onSubmit={async (body) => {
          await call<typeof renamePasskey>({
            method: "PATCH",
            path: path`/passkeys/${passkey.id}`,
            body,
          })
          await refresh("passkeys")
          onClose()
        }}
      >
        <TextField label="Name" {...fieldOf(form, "name")} autoFocus />
      </Form>
    </Dialog>
  )
}
