import type { signInWithSecondFactor } from "../../../worker/access/people/second-factors/second-factor-contract.ts"
import { callAuth } from "../../api/api.ts"
import type { ReplyOf } from "../../api/session.ts"
import { CodeForm } from "./code-form.tsx"

interface Props {
  onSignedIn(): unknown
  onBack(): void
}

/** After the password of a person with an authenticator app. */
export function SecondStep({ onSignedIn, onBack }: Props) {
  const enter = async (body: { code: string }) => {
    await callAuth<ReplyOf<typeof signInWithSecondFactor>>({
      method: "POST",
      path: "/sign-in/second-factor",
      body,
    })
    await onSignedIn()
  }
  return (
    <div className="grid gap-4">
      <CodeForm submit="Sign in" onCode={enter} />
      <button
        type="button"
        onClick={onBack}
        className="justify-self-center text-muted underline underline-offset-2 hover:text-ink"
      >
        Back to the password
      </button>
    </div>
  )
}
