import { useQuery, useSuspenseQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import type { verifySecondFactor } from "../../../worker/access/people/second-factors/second-factor-contract.ts"
import { call } from "../../api/api.ts"
import { canUsePasskeys } from "../../api/passkeys.ts"
import { sessionQuery } from "../../api/queries.ts"
import { chosenTeam, type Session } from "../../api/session.ts"
import { signOut } from "../../app/sign-out.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { addPasskey } from "../account/passkeys.tsx"
import { profileQuery } from "../account/profile.ts"
import { secondFactorQuery } from "../account/second-factor.tsx"
import SetUpApp from "../account/set-up-app.tsx"
import { CodeForm } from "./code-form.tsx"
import { Frame } from "./frame.tsx"
import { OtherWays, onlyPasskey } from "./other-ways.tsx"

/** Another team may be open without it, so the whole page starts anew. */
const enterTeam = () => location.assign("/dashboard")

/** For somebody whose team requires a second factor, in a session without one. */
export default function SecondFactorRequired() {
  return (
    <Suspense>
      <Required />
    </Suspense>
  )
}

function Required() {
  const session = useSuspenseQuery(sessionQuery).data
  const app = useQuery(secondFactorQuery)
  return (
    <Frame
      title={`${session.team.name} requires a second factor`}
      about="Confirm yours, or set one up, to open this team."
    >
      <Loaded query={app}>{({ enabled }) => (enabled ? <EnterCode /> : <Choose />)}</Loaded>
      <Leave session={session} />
    </Frame>
  )
}

function EnterCode() {
  const verify = async (body: { code: string }) => {
    await call<typeof verifySecondFactor>({ method: "POST", path: "/second-factor/verify", body })
    enterTeam()
  }
  return (
    <>
      <CodeForm submit="Continue" onCode={verify} />
      <OtherWays methods={onlyPasskey(true)} onSignedIn={enterTeam} />
    </>
  )
}

function Choose() {
  const [isApp, setApp] = useState(false)
  const { error, run } = useTask(async () => (await addPasskey()) && enterTeam())
  const profile = useQuery(profileQuery)
  return (
    <Loaded query={profile}>
      {({ hasPassword, canAddPasskey }) =>
        isApp ? (
          <SetUpApp hasPassword={hasPassword} onDone={enterTeam} />
        ) : (
          <div className="grid gap-2">
            <Button kind="primary" onClick={() => setApp(true)}>
              Set up an authenticator app
            </Button>
            {canUsePasskeys && (
              <Button
                onClick={run}
                disabledBecause={
                  !canAddPasskey &&
                  "Sign in again to add a passkey. Your last sign-in was more than ten minutes ago."
                }
              >
                Add passkey
              </Button>
            )}
            {error !== null && <ErrorBox error={error} />}
            <OtherWays methods={onlyPasskey(true)} onSignedIn={enterTeam} />
          </div>
        )
      }
    </Loaded>
  )
}

function Leave({ session }: { session: Session }) {
  const { error, run } = useTask(signOut)
  return (
    <div className="grid gap-2 border-t pt-6">
      {session.teams
        .filter(({ id }) => id !== session.team.id)
        .map(({ id, name }) => (
          <Button key={id} onClick={() => chosenTeam.open(id)}>
            Open {name}
          </Button>
        ))}
      <Button onClick={() => run()}>Sign out</Button>
      {error !== null && <ErrorBox error={error} />}
    </div>
  )
}
