import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import * as z from "zod"
import { sendInput } from "../../../worker/emails/send-input.ts"
import type { Rendered } from "../../../worker/templates/render.ts"
import { api } from "../../api/api.ts"
import { useSession } from "../../app/people.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { say } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { domainsQuery } from "../campaigns/data.ts"

const { from, to } = sendInput.shape
const schema = z.object({ from, to })

interface Props {
  /** With `[name]` where a value is missing. */
  message: Rendered
  onClose(): void
}

/** Sends what the editor shows once, with the sample values. */
export default function TestDialog(props: Props) {
  const domains = useQuery(domainsQuery)
  return (
    <Dialog
      open
      onOpenChange={props.onClose}
      title="Send test"
      description="Sends what is in the editor, with your sample values. You don’t need to publish first."
    >
      <Loaded query={domains} lines={3}>
        {(domains) => (
          <TestForm {...props} domain={domains.find(({ status }) => status === "verified")?.name} />
        )}
      </Loaded>
    </Dialog>
  )
}

function TestForm({ message, domain, onClose }: Props & { domain: string | undefined }) {
  const { user } = useSession()
  const navigate = useNavigate()
  const form = useSchemaForm(schema, {
    from: domain ? `hello@${domain}` : "",
    to: user.email,
  })
  const { subject, html, text } = message
  const content = { subject, html, ...(text !== null && { text }) }
  const input = { ...form.watch(), ...content }
  return (
    <Form
      form={form}
      submit="Send test"
      request={requestOf("POST", "/emails", "emails.send", input)}
      onSubmit={async (values) => {
        const { id } = await api.emails.send({ ...values, ...content })
        onClose()
        say("Test sent")
        await navigate({ to: `/emails/${id}` })
      }}
    >
      <TextField
        label="From"
        hint={domain ? undefined : "Your team has no verified domain yet."}
        {...fieldOf(form, "from")}
      />
      <TextField label="To" {...fieldOf(form, "to")} />
    </Form>
  )
}
