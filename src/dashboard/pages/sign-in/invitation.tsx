import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type {
  acceptInvitation,
  readInvitation,
} from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { callAuth } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { chosenTeam, type ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { useLinkToken } from "../../app/link-token.ts"
import { leaveSession } from "../../app/sign-out.ts"
import { Button, buttonClass } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Loaded } from "../../ui/waiting.tsx"
import { Frame } from "./frame.tsx"
import { KnownPerson, NewPerson } from "./invited-person.tsx"

type Invitation = ReplyOf<typeof readInvitation>
export type Accept = (person?: { name: string; password: string }) => Promise<void>

export default function InvitationPage() {
  const token = useLinkToken()
  const navigate = useNavigate()
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () =>
      callAuth<Invitation>({ method: "POST", path: "/invitations/read", body: { token } }),
    enabled: token !== "",
  })
  const accept: Accept = async (person) => {
    const { team } = await callAuth<ReplyOf<typeof acceptInvitation>>({
      method: "POST",
      path: "/invitations/accept",
      body: { token, ...person },
    })
    queries.clear()
    chosenTeam.set(team.id)
    navigate({ to: "/" })
  }
  if (!token) {
    return (
      <Frame
        title="This link is incomplete"
        about="Open the link in your email again. Reloading this page does not work."
      >
        <Link to="/sign-in" className={buttonClass("primary")}>
          Go to sign-in
        </Link>
      </Frame>
    )
  }
  const { data } = invitation
  return (
    <Frame
      title={data ? `Join ${data.team.name}` : "Invitation"}
      about={
        data &&
        `${data.invitedBy ?? "A teammate"} invited ${data.email} as ${data.role === "member" ? "a member" : `an ${data.role}`}.`
      }
    >
      <Loaded query={invitation} lines={3}>
        {(invitation) => (
          <Answer invitation={invitation} accept={accept} onSession={() => refresh("invitation")} />
        )}
      </Loaded>
    </Frame>
  )
}

interface AnswerProps {
  invitation: Invitation
  accept: Accept
  /** Somebody signed in or out. */
  onSession(): unknown
}

function Answer({ invitation, accept, onSession }: AnswerProps) {
  const { email, hasAccount, signedInAs } = invitation
  const [isSigningIn, setSigningIn] = useState(false)
  if (signedInAs === email) return <Join accept={accept} />
  if (signedInAs) return <OtherPerson signedInAs={signedInAs} email={email} onLeft={onSession} />
  const known = <KnownPerson email={email} onSignedIn={() => accept().finally(onSession)} />
  if (hasAccount || isSigningIn) return known
  return (
    <>
      <NewPerson email={email} accept={accept} />
      {hasAccount === null && (
        <Button kind="quiet" onClick={() => setSigningIn(true)}>
          I have an account
        </Button>
      )}
    </>
  )
}

function Join({ accept }: { accept: Accept }) {
  const { busy, error, run } = useTask(() => accept())
  return (
    <>
      {error !== null && <ErrorBox error={error} />}
      <Button kind="primary" busy={busy} onClick={run}>
        Join team
      </Button>
    </>
  )
}

function OtherPerson({
  signedInAs,
  email,
  onLeft,
}: {
  signedInAs: string
  email: string
  onLeft(): void
}) {
  const { busy, error, run } = useTask(() => leaveSession().then(onLeft))
  return (
    <>
      <p className="wrap-anywhere">
        You are signed in as {signedInAs}. This invitation is for {email}.
      </p>
      {error !== null && <ErrorBox error={error} />}
      <Button kind="primary" busy={busy} onClick={run}>
        Sign out and continue
      </Button>
    </>
  )
}
