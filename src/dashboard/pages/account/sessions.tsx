import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { listSessions } from "../../../worker/access/people/profile-contract.ts"
import { call, path } from "../../api/api.ts"
import { refresh } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { signOut } from "../../app/sign-out.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { Section } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"

type Session = ReplyOf<typeof listSessions>["data"][number]

const end = ({ id }: Session) =>
  call({ method: "DELETE", path: path`/sessions/${id}` })
    .then(() => say("Session ended"), sayError)
    .finally(() => refresh("sessions"))

const currentFirst = (one: Session, other: Session) => Number(other.current) - Number(one.current)

const endAll = () => signOut(() => call({ method: "DELETE", path: "/sessions" }))

export function Sessions() {
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: () => call<typeof listSessions>({ method: "GET", path: "/sessions" }),
  })
  const [ending, setEnding] = useState(false)
  return (
    <Section
      title="Sessions"
      about="Where you are signed in."
      actions={
        <Button kind="danger" onClick={() => setEnding(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={sessions} lines={3}>
        {({ data }) => (
          <ul className="rounded-lg border bg-raised">
            {data.toSorted(currentFirst).map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
      <Confirm
        open={ending}
        onOpenChange={setEnding}
        title="Sign out everywhere?"
        description="Ends all sessions, including this one. API keys keep working."
        action="Sign out everywhere"
        onConfirm={endAll}
      />
    </Section>
  )
}

const SessionRow = ({ session }: { session: Session }) => (
  <li className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b px-4 py-2 last:border-0">
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-x-3 font-medium">
        {session.device}
        {session.current && <Badge state="this session" tone="delivered" />}
      </p>
      <p className="text-xs text-muted">
        Last used <Time at={session.lastUsedAt} /> · signed in <Time at={session.createdAt} />
        {session.ip && ` · ${session.ip}`}
      </p>
    </div>
    {!session.current && (
      <Button small onClick={() => end(session)} aria-label={`End session: ${session.device}`}>
        End session
      </Button>
    )}
  </li>
)
