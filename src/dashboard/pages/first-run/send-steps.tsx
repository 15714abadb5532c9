import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api } from "../../api/api.ts"
import { installationQuery } from "../../api/installation.ts"
import { useSession } from "../../app/people.ts"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { requestOf } from "../../ui/request/request-of.ts"
import { RequestSnippet } from "../../ui/request/request-snippet.tsx"
import { TaskButton } from "../../ui/task-button.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Arrival, useFirstEmail } from "./arrival.tsx"
import { Step } from "./step.tsx"

/** A mailbox that Amazon SES takes from every account, also from one in its own sandbox. */
const SES_MAILBOX = "success@simulator.amazonses.com"

export function SendSteps({ domain }: { domain: string | undefined }) {
  const { user } = useSession()
  const { data: installation } = useQuery(installationQuery)
  const [key, setKey] = useState<{ id: string; secret: string } | null>(null)
  const email = useFirstEmail(key?.id)
  const { error, run } = useTask(async () =>
    setKey(await api.apiKeys.create({ name: "First key", permission: "sending_only" })),
  )
  const json = {
    from: `hello@${domain}`,
    to: installation?.provider === "ses" ? SES_MAILBOX : user.email,
    subject: "It works",
    html: "<p>The first email of many.</p>",
  }
  return (
    <>
      <Step number={2} title="Create an API key" done={key !== null} waits={!domain}>
        {key ? (
          <p>
            The snippet below contains the key. Copy it now: it is shown only once. It can only send
            email.
          </p>
        ) : (
          <TaskButton kind="primary" run={run} className="justify-self-start">
            Create API key
          </TaskButton>
        )}
        {error !== null && <ErrorBox error={error} retry={run} />}
      </Step>
      <Step number={3} title="Send your first email" done={email !== undefined} waits={!key}>
        {key && <FirstSend json={json} secret={key.secret} />}
        {key && <Arrival email={email} />}
      </Step>
    </>
  )
}

function FirstSend({
  json,
  secret,
}: {
  json: { from: string; to: string; subject: string; html: string }
  secret: string
}) {
  const { error, run } = useTask(() => api.emails.send(json))
  return (
    <>
      <p className="text-muted">Run this in a terminal. The email appears below when it arrives.</p>
      <RequestSnippet request={requestOf("POST", "/emails", "emails.send", json)} secret={secret} />
      <p>
        <button type="button" onClick={run} className="underline underline-offset-2">
          Send from this page
        </button>{" "}
        <span className="text-muted">instead.</span>
      </p>
      {error !== null && <ErrorBox error={error} retry={run} />}
    </>
  )
}
