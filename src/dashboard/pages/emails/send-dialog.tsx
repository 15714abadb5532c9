import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { sendInput } from "../../../worker/emails/send-input.ts"
import { api } from "../../api/api.ts"
import { domainsQuery } from "../../api/queries.ts"
import { useSession } from "../../app/people.ts"
import { Dialog } from "../../ui/dialog/dialog.tsx"
import { TextAreaField, TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { Loaded } from "../../ui/waiting.tsx"

/** Sends one email, and leads to it. */
export default function SendDialog({ onClose }: { onClose(): void }) {
  const domains = useQuery(domainsQuery)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Send test email"
      description="It appears in your emails and counts in your metrics."
    >
      <Loaded query={domains} lines={3}>
        {({ data }) => <SendForm domain={data.find(({ status }) => status === "verified")?.name} />}
      </Loaded>
    </Dialog>
  )
}

function SendForm({ domain }: { domain: string | undefined }) {
  const { user } = useSession()
  const navigate = useNavigate()
  const form = useSchemaForm(sendInput, {
    from: domain ? `hello@${domain}` : "",
    to: user.email,
    subject: "A test",
    text: "Hello",
  })
  const values = form.watch()
  return (
    <Form
      guard
      form={form}
      submit="Send email"
      request={requestOf("POST", "/emails", "emails.send", values)}
      onSubmit={async (input) => {
        const { id } = await api.emails.send(input)
        navigate({ href: `/dashboard/emails/${id}`, replace: true })
      }}
    >
      <TextField
        label="From"
        hint={
          domain
            ? undefined
            : "Your team has no verified domain yet, so this email will be refused."
        }
        {...fieldOf(form, "from")}
        autoFocus
      />
      <TextField label="To" {...fieldOf(form, "to")} />
      <TextField label="Subject" {...fieldOf(form, "subject")} />
      <TextAreaField label="Text" {...fieldOf(form, "text")} />
    </Form>
  )
}
