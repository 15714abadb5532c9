import { useState } from "react"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"

const loadSchema = async () =>
  (await import("../../../worker/access/people/second-factors/second-factor-contract.ts")).withCode

interface Props {
  submit: string
  onCode(body: { code: string }): Promise<unknown>
}

/** The code of the authenticator app, or a recovery code. */
export function CodeForm({ submit, onCode }: Props) {
  const form = useSchemaForm(loadSchema, { code: "" })
  const [isRecovery, setRecovery] = useState(false)
  const toggle = () => {
    form.reset({ code: "" })
    setRecovery(!isRecovery)
  }
  return (
    <div className="grid gap-4">
      <Form wide form={form} submit={submit} onSubmit={onCode}>
        <TextField
          key={String(isRecovery)}
          label={isRecovery ? "Recovery code" : "Code"}
          hint={isRecovery ? "Each works once." : "Six digits from your authenticator app."}
          {...fieldOf(form, "code")}
          inputMode={isRecovery ? "text" : "numeric"}
          autoComplete={isRecovery ? "off" : "one-time-code"}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
        />
      </Form>
      <button
        type="button"
        onClick={toggle}
        className="justify-self-center text-muted underline underline-offset-2 hover:text-ink"
      >
        {isRecovery ? "Use your authenticator app" : "Use a recovery code"}
      </button>
    </div>
  )
}
