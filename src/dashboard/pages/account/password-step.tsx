import * as z from "zod"
import { Field, TextInput } from "../../ui/field.tsx"
import { Form, useSchemaForm } from "../../ui/form.tsx"

const json = z.object({ password: z.string().min(1).max(128) })

interface Props {
  submit: string
  danger?: boolean
  onSubmit(body: { password: string }): Promise<unknown>
}

/** An open session alone must not change how somebody signs in. */
export function PasswordStep({ submit, danger, onSubmit }: Props) {
  const form = useSchemaForm(json, { password: "" })
  return (
    <Form form={form} submit={submit} kind={danger ? "danger" : "primary"} onSubmit={onSubmit}>
      <Field label="Your password" error={form.formState.errors.password?.message}>
        {(control) => (
          <TextInput
            {...control}
            {...form.register("password")}
            type="password"
            autoComplete="current-password"
            autoFocus
            required
          />
        )}
      </Field>
    </Form>
  )
}
