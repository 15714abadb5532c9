import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { createApiKey, PERMISSIONS, type Permission } from "../../../worker/access/keys/contract.ts"
import { api } from "../../api/api.ts"
import { domainsQuery } from "../../api/queries.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { SelectField } from "../../ui/menu/select.tsx"
import { NewKey } from "./new-key.tsx"
import { PERMISSION_WORDS } from "./words.ts"

interface Values {
  name: string
  permission: Permission
  /** Empty: every domain of the team. */
  domainId: string
}

const toInput = ({ name, permission, domainId }: Values) => ({
  name,
  permission,
  ...(domainId && { domainId }),
})

export default function CreateKey({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<{ secret: string; domainId: string }>()
  const { data: domains } = useQuery(domainsQuery)
  if (created) {
    return (
      <Dialog wide open onOpenChange={onClose} title="API key created">
        <NewKey
          secret={created.secret}
          domain={domains?.data.find(({ id }) => id === created.domainId)?.name}
          onClose={onClose}
        />
      </Dialog>
    )
  }
  return (
    <Dialog open onOpenChange={onClose} title="Create API key">
      <KeyForm
        domains={domains?.data ?? []}
        onCreated={(secret, domainId) => setCreated({ secret, domainId })}
      />
    </Dialog>
  )
}

function KeyForm({
  domains,
  onCreated,
}: {
  domains: readonly { id: string; name: string }[]
  onCreated(secret: string, domainId: string): void
}) {
  const form = useSchemaForm<Values>(createApiKey.json, {
    name: "",
    permission: "sending_only",
    domainId: "",
  })
  const { errors } = form.formState
  const input = toInput(form.watch())
  return (
    <Form
      guard
      form={form}
      submit="Create API key"
      request={{
        method: "POST",
        path: "/api-keys",
        json: input,
        library: `const { secret } = await edgepost.apiKeys.create(${JSON.stringify(input, null, 2)})`,
      }}
      onSubmit={async (values) => {
        const { secret } = await api.apiKeys.create(toInput(values))
        onCreated(secret, values.domainId)
      }}
    >
      <TextField
        label="Name"
        hint="Where you use it, such as “Shop, production”."
        {...fieldOf(form, "name")}
        autoComplete="off"
        autoFocus
      />
      <SelectField
        label="Permissions"
        error={errors.permission?.message}
        value={form.watch("permission")}
        onChange={(permission) => form.setValue("permission", permission)}
        options={PERMISSIONS.map((one) => [one, PERMISSION_WORDS[one].long] as const)}
      />
      <SelectField
        label="Domain"
        error={errors.domainId?.message}
        value={form.watch("domainId")}
        onChange={(domainId) => form.setValue("domainId", domainId)}
        options={[
          ["", "All verified domains"],
          ...domains.map(({ id, name }) => [id, `${name} only`] as const),
        ]}
      />
    </Form>
  )
}
