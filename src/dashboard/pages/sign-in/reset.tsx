import { useState } from "react"
import { callAuth } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useLinkToken } from "../../app/link-token.ts"
import { buttonClass } from "../../ui/button.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { Frame } from "./frame.tsx"
import { NewPassword } from "./new-password.tsx"

const loadSchema = async () => {
  const { resetPassword } = await import(
    "../../../worker/access/people/sign-in/visitors-contract.ts"
  )
  return resetPassword.json.pick({ password: true })
}

export default function ResetPassword() {
  const token = useLinkToken()
  const form = useSchemaForm(loadSchema, { password: "" })
  const [done, setDone] = useState(false)
  if (done || !token) {
    return (
      <Frame
        title={done ? "Your password is set" : "This link is incomplete"}
        about={
          done
            ? "You are signed out everywhere. Sign in with your new password."
            : "Open the link in your email again. Reloading this page does not work."
        }
      >
        <Link to="/sign-in" className={buttonClass("primary")}>
          Go to sign-in
        </Link>
      </Frame>
    )
  }
  return (
    <Frame title="Set a new password" about="This signs you out on every device.">
      <Form
        wide
        form={form}
        submit="Set password"
        onSubmit={async ({ password }) => {
          const body = { token, password }
          await callAuth({ method: "POST", path: "/password-reset/complete", body })
          queries.clear()
          setDone(true)
        }}
      >
        <NewPassword label="New password" {...fieldOf(form, "password")} />
      </Form>
    </Frame>
  )
}
