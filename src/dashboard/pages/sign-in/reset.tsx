import { useState } from "react"
import { resetPassword } from "../../../worker/access/people/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useLinkToken } from "../../app/link-token.ts"
import { buttonClass } from "../../ui/button.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"
import { Frame } from "./frame.tsx"
import { NewPassword } from "./new-password.tsx"

const fields = resetPassword.json.pick({ password: true })

export default function ResetPassword() {
  const token = useLinkToken()
  const form = useSchemaForm(fields, { password: "" })
  const [done, setDone] = useState(false)
  if (done || !token) {
    return (
      <Frame
        title={done ? "Your password is set" : "This link is incomplete"}
        about={
          done
            ? "All your sessions have ended. Sign in with the new password."
            : "Open it again from the mail. A reload of this page needs that, too."
        }
      >
        <Link to="/sign-in" className={buttonClass("primary")}>
          Go to sign-in
        </Link>
      </Frame>
    )
  }
  return (
    <Frame title="Set a new password" about="It ends all your sessions, on every device.">
      <Form
        wide
        form={form}
        submit="Set the password"
        onSubmit={async ({ password }) => {
          const body = { token, password }
          await callAuth({ method: "POST", path: "/password-reset/complete", body })
          queries.clear()
          setDone(true)
        }}
      >
        <NewPassword
          label="New password"
          input={form.register("password")}
          error={form.formState.errors.password?.message}
        />
      </Form>
    </Frame>
  )
}
