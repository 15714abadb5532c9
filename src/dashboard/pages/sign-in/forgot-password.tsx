import { useState } from "react"
import { callAuth } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Frame } from "./frame.tsx"

const loadSchema = async () =>
  (await import("../../../worker/access/people/sign-in/visitors-contract.ts")).requestPasswordReset
    .json

export function ForgotPassword({ onBack }: { onBack(): void }) {
  const form = useSchemaForm(loadSchema, { email: "" })
  const [sentTo, setSentTo] = useState("")
  if (sentTo) {
    return (
      <Frame
        title="Check your email"
        about={`If ${sentTo} has an account, we sent a link. It works once and expires in two hours.`}
      >
        <Button onClick={onBack}>Back to sign-in</Button>
      </Frame>
    )
  }
  return (
    <Frame title="Reset your password" about="We email you a link to set it.">
      <Form
        wide
        form={form}
        submit="Email me a link"
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
        <TextField
          label="Email"
          type="email"
          {...fieldOf(form, "email")}
          autoComplete="username"
          autoFocus
          required
        />
      </Form>
    </Frame>
  )
}
