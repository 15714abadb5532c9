import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type {
  getSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from "../../../worker/access/people/second-factors/second-factor-contract.ts"
import { call } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { lazy } from "../../app/lazy.ts"
import { Button } from "../../ui/button.tsx"
import { Confirm, Dialog } from "../../ui/dialog/dialog.tsx"
import { counted } from "../../ui/numbers.ts"
import { Card, Section } from "../../ui/page.tsx"
import { say } from "../../ui/toast.tsx"
import { Loaded, Skeleton } from "../../ui/waiting.tsx"
import { PasswordStep } from "./password-step.tsx"
import type { Profile } from "./profile.ts"
import { RecoveryCodes } from "./recovery-codes.tsx"
import { SignInAgain } from "./sign-in-again.tsx"

const SetUpApp = lazy(() => import("./set-up-app.tsx"))

type App = ReplyOf<typeof getSecondFactor>
type Step = "set-up" | "renew" | "remove"

export const secondFactorQuery = {
  queryKey: ["second-factor"],
  queryFn: () => call<typeof getSecondFactor>({ method: "GET", path: "/second-factor" }),
}

/** The set-up and the removal also replace the session. */
const refreshSecondFactor = () => refresh("second-factor", "sessions", "session", "profile")

export function SecondFactor({ profile }: { profile: Profile }) {
  const app = useQuery(secondFactorQuery)
  const [step, setStep] = useState<Step | null>(null)
  const close = () => setStep(null)
  return (
    <Section
      title="Authenticator app"
      about="A code from your phone, asked for after your password."
    >
      <Loaded query={app} lines={2}>
        {(app) => <State app={app} profile={profile} onStep={setStep} />}
      </Loaded>
      <Dialog open={step === "set-up"} onOpenChange={close} title="Set up an authenticator app">
        <Suspense fallback={<Skeleton />}>
          <SetUpApp
            hasPassword={profile.hasPassword}
            onDone={async () => {
              close()
              await refreshSecondFactor()
              say("Authenticator app turned on")
            }}
          />
        </Suspense>
      </Dialog>
      <Renew open={step === "renew"} hasPassword={profile.hasPassword} onClose={close} />
      <Remove open={step === "remove"} hasPassword={profile.hasPassword} onClose={close} />
    </Section>
  )
}

interface StateProps {
  app: App
  profile: Profile
  onStep(step: Step): void
}

function State({ app, profile, onStep }: StateProps) {
  const isStale = !profile.canAddPasskey
  if (!app.enabled) {
    return (
      <Card className="flex flex-wrap items-center justify-between gap-4 p-4">
        <p className="text-muted">Off</p>
        {!profile.hasPassword && isStale ? (
          <SignInAgain to="set up an app" />
        ) : (
          <Button onClick={() => onStep("set-up")}>Set up</Button>
        )}
      </Card>
    )
  }
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4 p-4">
      <div>
        <p className="font-medium">On</p>
        <p className="text-muted">{counted(app.recoveryCodesLeft, "recovery code")} left</p>
      </div>
      {isStale ? (
        <SignInAgain to="change this" />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => onStep("renew")}>New recovery codes</Button>
          <Button onClick={() => onStep("remove")}>Turn off</Button>
        </div>
      )}
    </Card>
  )
}

interface StepProps {
  open: boolean
  hasPassword: boolean
  onClose(): void
}

function Renew({ open, hasPassword, onClose }: StepProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const renew = async (body: { password?: string }) => {
    const path = "/second-factor/recovery-codes"
    const reply = await call<typeof renewRecoveryCodes>({ method: "POST", path, body })
    setCodes(reply.recoveryCodes)
  }
  const close = () => {
    setCodes(undefined)
    onClose()
    void refreshSecondFactor()
  }
  const title = "New recovery codes"
  if (codes) {
    return (
      <Dialog open onOpenChange={close} title={title}>
        <RecoveryCodes codes={codes} onDone={close} />
      </Dialog>
    )
  }
  return (
    <Secured
      {...{ open, hasPassword, onClose, title }}
      description="Your earlier codes stop working."
      kind="primary"
      action="Create new codes"
      onConfirm={renew}
    />
  )
}

function Remove({ open, hasPassword, onClose }: StepProps) {
  const remove = async (body: { password?: string }) => {
    const path = "/second-factor/remove"
    await call<typeof removeSecondFactor>({ method: "POST", path, body })
    onClose()
    await refreshSecondFactor()
    say("Authenticator app turned off")
  }
  return (
    <Secured
      {...{ open, hasPassword, onClose }}
      title="Turn off the authenticator app?"
      description="Your password alone then signs you in. You lose access to teams that require a second factor."
      kind="danger"
      action="Turn off"
      onConfirm={remove}
    />
  )
}

interface SecuredProps extends StepProps {
  title: string
  description: string
  kind: "primary" | "danger"
  action: string
  onConfirm(body: { password?: string }): Promise<unknown>
}

/** Asks for the password. Somebody without one only confirms. */
function Secured({ hasPassword, onClose, action, kind, onConfirm, ...dialog }: SecuredProps) {
  if (!hasPassword) {
    return (
      <Confirm
        {...{ action, kind, ...dialog }}
        onOpenChange={onClose}
        onConfirm={() => onConfirm({})}
      />
    )
  }
  return (
    <Dialog {...dialog} onOpenChange={onClose}>
      <PasswordStep danger={kind === "danger"} submit={action} onSubmit={onConfirm} />
    </Dialog>
  )
}
