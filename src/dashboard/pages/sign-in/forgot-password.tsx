import { useState } from "react"
import { requestPasswordReset } from "../../../worker/access/people/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { EmailField } from "../../ui/email-field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import { Frame } from "./frame.tsx"

export function ForgotPassword({ onBack }: { onBack(): void }) {
  const form = useSchemaForm(requestPasswordReset.json, { email: "" })
  const [sentTo, setSentTo] = useState("")
  if (sentTo) {
    return (
      <Frame
        title="Look into your mail"
        about={`If ${sentTo} has an account here, a link is on its way. It works once, for an hour.`}
      >
        <Button onClick={onBack}>Back to sign-in</Button>
      </Frame>
    )
  }
  return (
    <Frame title="Set a new password" about="A link that sets it comes by mail.">
      <Form
        wide
        form={form}
        submit="Send the link"
        beside={
          <Button onClick={onBack} className="order-last">
            Back to sign-in
          </Button>
        }
        onSubmit={async (body) => {
          await callAuth({ method: "POST", path: "/password-reset", body })
          setSentTo(body.email)
        }}
      >
        <EmailField
          input={form.register("email")}
          error={form.formState.errors.email?.message}
          autoComplete="username"
          autoFocus
          required
        />
      </Form>
    </Frame>
  )
}
