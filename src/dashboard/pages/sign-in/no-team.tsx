import { signOut } from "../../app/sign-out.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/form/error-box.tsx"
import { useTask } from "../../ui/use-task.ts"
import { Frame } from "./frame.tsx"

/** For somebody who has left the last team. */
export default function NoTeam() {
  const { error, run } = useTask(signOut)
  return (
    <Frame title="You are not in a team" about="Ask a teammate to invite you, then open the link.">
      {error !== null && <ErrorBox error={error} />}
      <Button onClick={() => run()}>Sign out</Button>
    </Frame>
  )
}
