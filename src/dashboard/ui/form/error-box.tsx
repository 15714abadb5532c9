import { Suspense } from "react"
import { EdgepostError } from "../../api/api.ts"
import { isNotFound } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { Button } from "../button.tsx"
import { CopyButton } from "../request/copy.tsx"

const WhyNotFound = lazy(() => import("../why-not-found.tsx"))

/** An error with a retry and the request id, which is also in the logs. */
export function ErrorBox({ error, retry }: { error: unknown; retry?: () => void }) {
  const requestId = error instanceof EdgepostError ? error.requestId : null
  const isGone = isNotFound(error)
  return (
    <div role="alert" className="grid gap-2 rounded-md border border-failed/40 p-3">
      <p className="font-medium text-failed">{messageOf(error)}</p>
      <Suspense>{isGone && <WhyNotFound />}</Suspense>
      {suppressedOf(error).map((email) => (
        <p key={email} className="wrap-anywhere">
          {email} is suppressed.{" "}
          <Link to={`/recipients/${encodeURIComponent(email)}`} className="underline">
            View suppression
          </Link>
        </p>
      ))}
      {(requestId || retry) && (
        <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
          {requestId && (
            <span className="inline-flex items-center">
              Request <code className="ml-1 font-mono break-all">{requestId}</code>
              <CopyButton text={requestId} label="Copy request ID" />
            </span>
          )}
          {retry && !isGone && (
            <Button small onClick={retry}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function suppressedOf(error: unknown): string[] {
  if (!(error instanceof EdgepostError) || error.code !== "suppressed_recipient") return []
  return (error.details as { email: string }[]).map(({ email }) => email)
}

export function messageOf(error: unknown): string {
  if (error instanceof EdgepostError && error.code === "network_error") {
    return "Cannot reach the server. Check your connection."
  }
  return error instanceof Error ? error.message : String(error)
}
