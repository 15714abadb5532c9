import { useEffect, useRef, useState } from "react"
import type {
  confirmSecondFactor,
  startSecondFactor,
} from "../../../worker/access/people/second-factors/second-factor-contract.ts"
import { call } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { TextField } from "../../ui/form/field.tsx"
import { Form, fieldOf, useSchemaForm } from "../../ui/form/form.tsx"
import { QrCode } from "../../ui/qr-code.tsx"
import { CopyButton } from "../../ui/request/copy.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Skeleton } from "../../ui/waiting.tsx"
import { PasswordStep } from "./password-step.tsx"
import { RecoveryCodes } from "./recovery-codes.tsx"

type Started = ReplyOf<typeof startSecondFactor>

interface Props {
  hasPassword: boolean
  /** After the recovery codes are kept. */
  onDone(): unknown
}

/** Password, QR code and first code, recovery codes. */
export default function SetUpApp({ hasPassword, onDone }: Props) {
  const [started, setStarted] = useState<Started>()
  const [codes, setCodes] = useState<readonly string[]>()
  const start = async (body: { password?: string }) =>
    setStarted(
      await call<typeof startSecondFactor>({ method: "POST", path: "/second-factor", body }),
    )
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (started) return <Scan started={started} onConfirmed={setCodes} />
  if (!hasPassword) return <Start start={start} />
  return <PasswordStep submit="Continue" onSubmit={start} />
}

function Start({ start }: { start(body: object): Promise<unknown> }) {
  const { error, run } = useTask(() => start({}))
  const hasStarted = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, since each start makes a new secret
  useEffect(() => {
    if (hasStarted.current) return
    hasStarted.current = true
    run()
  }, [])
  return error === null ? <Skeleton /> : <ErrorBox error={error} retry={run} />
}

const loadSchema = async () =>
  (await import("../../../worker/access/people/second-factors/second-factor-contract.ts"))
    .confirmSecondFactor.json

interface ScanProps {
  started: Started
  onConfirmed(codes: readonly string[]): void
}

function Scan({ started, onConfirmed }: ScanProps) {
  const form = useSchemaForm(loadSchema, { code: "" })
  const confirm = async (body: { code: string }) => {
    const reply = await call<typeof confirmSecondFactor>({
      method: "POST",
      path: "/second-factor/confirm",
      body,
    })
    onConfirmed(reply.recoveryCodes)
  }
  return (
    <div className="grid gap-4">
      <p>Scan this code with your authenticator app, such as 1Password or Google Authenticator.</p>
      <QrCode text={started.uri} label="QR code for your authenticator app" />
      <div className="grid gap-1">
        <p className="text-muted">Or enter this key in the app:</p>
        <p className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 font-mono text-xs break-all">{inGroups(started.secret)}</code>
          <CopyButton text={started.secret} label="Copy key" />
        </p>
      </div>
      <Form form={form} submit="Turn on" onSubmit={confirm}>
        <TextField
          label="Code from the app"
          {...fieldOf(form, "code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          className="max-w-40"
          autoFocus
          required
        />
      </Form>
    </div>
  )
}

const inGroups = (secret: string) => secret.replaceAll(/.{4}(?=.)/g, "$& ")
