import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"

const loadSchema = async () => {
  const { startSecondFactor } = await import(
    "../../../worker/access/people/second-factors/second-factor-contract.ts"
  )
  return startSecondFactor.json.refine(({ password }) => password, { path: ["password"] })
}

interface Props {
  submit: string
  danger?: boolean
  onSubmit(body: { password: string }): Promise<unknown>
}

/** An open session alone must not change how somebody signs in. */
export function PasswordStep({ submit, danger, onSubmit }: Props) {
  const form = useSchemaForm(loadSchema, { password: "" })
  return (
    <Form form={form} submit={submit} kind={danger ? "danger" : "primary"} onSubmit={onSubmit}>
      <TextField
        label="Your password"
        {...fieldOf(form, "password")}
        type="password"
        autoComplete="current-password"
        autoFocus
        required
      />
    </Form>
  )
}
