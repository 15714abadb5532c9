import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { SOCIAL_ERRORS } from "../../../worker/access/people/sign-in/visitors-contract.ts"
import { queries } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { ForgotPassword } from "./forgot-password.tsx"
import { Frame } from "./frame.tsx"
import { OtherWays, useMethods } from "./other-ways.tsx"
import { PasswordForm } from "./password-form.tsx"
import { SecondStep } from "./second-step.tsx"

const ERRORS: Record<string, string> = {
  no_account:
    "No account uses this address. Ask for an invitation or sign in with another account.",
  email_not_verified:
    "That account's email address is not verified, or its owner signs in another way.",
  refused: "Sign-in was not completed. Try again.",
} satisfies Record<(typeof SOCIAL_ERRORS)[number], string>

export default function SignIn() {
  const [{ next, error }] = useFilters()
  const [forgot, setForgot] = useState(false)
  const [codeNeeded, setCodeNeeded] = useState(false)
  const navigate = useNavigate()
  const methods = useMethods()
  const go = () => {
    queries.clear()
    return navigate({ href: insideDashboard(next) })
  }
  if (forgot) return <ForgotPassword onBack={() => setForgot(false)} />
  if (codeNeeded) {
    return (
      <Frame title="Enter your code">
        <SecondStep onSignedIn={go} onBack={() => setCodeNeeded(false)} />
      </Frame>
    )
  }
  return (
    <Frame title="Sign in">
      {error && (
        <p role="alert" className="rounded-md border border-failed/40 p-3 text-failed">
          {ERRORS[error] ?? ERRORS.refused}
        </p>
      )}
      {methods.data?.claimable && (
        <p className="rounded-md border bg-raised p-3">
          This installation has not been claimed yet.{" "}
          <Link to="/claim" className="underline underline-offset-2">
            Claim it with the code from the deployment
          </Link>
        </p>
      )}
      <div className="grid gap-4">
        <PasswordForm onSignedIn={go} onCodeNeeded={() => setCodeNeeded(true)} />
        {methods.data && <OtherWays methods={methods.data} onSignedIn={go} />}
        <button
          type="button"
          onClick={() => setForgot(true)}
          className="justify-self-center text-muted underline underline-offset-2 hover:text-ink"
        >
          Forgot your password?
        </button>
      </div>
    </Frame>
  )
}

/** A link may name the page that comes next, but only one of the dashboard. */
function insideDashboard(next: string | undefined): string {
  const url = URL.parse(next ?? "", location.origin)
  const isInside = url?.origin === location.origin && /^\/dashboard(\/|$)/.test(url.pathname)
  const isSignIn = url?.pathname.startsWith("/dashboard/sign-in")
  return url && isInside && !isSignIn ? url.pathname + url.search : "/dashboard"
}
