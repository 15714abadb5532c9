import { useState } from "react"
import { api } from "../../api/api.ts"
import { Link } from "../../app/link.tsx"
import { useMay, useSession } from "../../app/people.ts"
import { requestCodes } from "../../ui/as-request.tsx"
import { Button, buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
import { Empty } from "../../ui/empty.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { useSender } from "./sender.ts"

function NoSender() {
  const { manage } = useMay()
  return (
    <Empty title="No emails yet">
      <p>No domain of this team is verified, so nothing can be sent.</p>
      {manage && (
        <Link to="/start" className={cx(buttonClass("primary"), "justify-self-start")}>
          Send the first email
        </Link>
      )}
    </Empty>
  )
}

/** A call that works as it is pasted, with a key that is made on the spot. */
export default function FirstEmail() {
  const { manage } = useMay()
  const { user } = useSession()
  const from = useSender()
  const [secret, setSecret] = useState("")
  const [error, setError] = useState<unknown>(null)
  const makeKey = () =>
    api.apiKeys
      .create({ name: `First email, ${user.name || user.email}`, permission: "sending_only" })
      .then((key) => setSecret(key.secret), setError)
  if (from === undefined) return null
  if (from === null) return <NoSender />
  const json = {
    from,
    to: "success@simulator.amazonses.com",
    subject: "It works",
    html: "<p>Hi there</p>",
  }
  const library = `await edgepost.emails.send(${JSON.stringify(json, null, 2)})`
  const codes = requestCodes({ method: "POST", path: "/emails", json, library })
  return (
    <Empty title="No emails yet">
      <p>Send the first one: paste this into a terminal. It appears here by itself.</p>
      {manage && !secret && (
        <Button kind="primary" onClick={makeKey} className="justify-self-start">
          Create a key for this snippet
        </Button>
      )}
      {error !== null && <ErrorBox error={error} retry={makeKey} />}
      {secret && <p>The key is shown only now. It may send, and nothing else.</p>}
      <Snippet
        codes={codes.map(({ name, code }) => ({
          name,
          code: secret ? code.replace("$SVC_API_KEY", secret) : code,
        }))}
      />
    </Empty>
  )
}
