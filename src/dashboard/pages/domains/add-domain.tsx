import { useNavigate } from "@tanstack/react-router"
import { createDomain } from "../../../worker/domains/contract.ts"
import { api } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { requestOf } from "../../ui/request/request-of.ts"

/** The first step; the domain's page shows the others. */
export default function AddDomain({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const form = useSchemaForm(createDomain.json, { name: "" })
  const input = form.watch()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add domain"
      description="Step 1 of 3. Next, add its DNS records, then verify."
    >
      <Form
        form={form}
        submit="Add domain"
        request={requestOf("POST", "/domains", "domains.create", input)}
        onSubmit={async (values) => {
          const { id } = await api.domains.create(values)
          refresh("domains")
          await navigate({ href: `/dashboard/domains/${id}`, replace: true })
        }}
      >
        <TextField
          label="Domain"
          hint="Use a subdomain such as mail.example.com to protect your main domain's reputation."
          {...fieldOf(form, "name")}
          placeholder="mail.example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
