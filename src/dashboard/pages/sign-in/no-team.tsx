import { useState } from "react"
import { callAuth } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Frame } from "./frame.tsx"

/** For somebody who has left the last team. */
export default function NoTeam() {
  const [error, setError] = useState<unknown>(null)
  const signOut = () =>
    callAuth({ method: "POST", path: "/sign-out", body: {} }).then(
      () => location.assign("/dashboard/sign-in"),
      setError,
    )
  return (
    <Frame title="You are not in a team" about="Ask a teammate to invite you, then open the link.">
      {error !== null && <ErrorBox error={error} />}
      <Button onClick={signOut}>Sign out</Button>
    </Frame>
  )
}
