import { useState } from "react"
import { signOut } from "../../app/sign-out.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Frame } from "./frame.tsx"

/** For somebody who has left the last team. */
export default function NoTeam() {
  const [error, setError] = useState<unknown>(null)
  return (
    <Frame title="You are not in a team" about="Ask a teammate to invite you, then open the link.">
      {error !== null && <ErrorBox error={error} />}
      <Button onClick={() => signOut().catch(setError)}>Sign out</Button>
    </Frame>
  )
}
