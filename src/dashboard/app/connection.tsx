import { type ReactNode, useEffect } from "react"
import { useIsBehind, useLiveState } from "../api/live.ts"
import { queries, sessionQuery } from "../api/queries.ts"
import { sessionEnded } from "../api/session.ts"
import { hasUnsavedWork } from "../ui/dialog/unsaved.ts"
import { useIsCodeMissing } from "./load-code.ts"

/** Says when the page may be old, or the person has to sign in again. */
export function Connection() {
  const isLost = useLiveState() === "lost"
  const isBehind = useIsBehind()
  const hasEnded = sessionEnded.use()
  useEffect(() => {
    if (!hasEnded) return
    if (!hasUnsavedWork()) return signInAgain()
    addEventListener("focus", lookForSession)
    return () => removeEventListener("focus", lookForSession)
  }, [hasEnded])
  if (hasEnded) {
    return (
      <Bar>
        Your session has ended. Your changes are still here.{" "}
        <a href="/dashboard/sign-in" target="_blank" rel="noreferrer" className="underline">
          Sign in from a new tab
        </a>
        , then continue here.
      </Bar>
    )
  }
  if (isLost) return <Bar>Connection lost. Reconnecting…</Bar>
  if (isBehind) return <Bar>Couldn’t load the latest changes. Trying again…</Bar>
  return null
}

/** Shown above every page, also where there is no session, unless another bar says the same. */
export function CodeMissing() {
  const isMissing = useIsCodeMissing()
  const isLost = useLiveState() === "lost"
  const isBehind = useIsBehind()
  return isMissing && !isLost && !isBehind && <Bar>Connection lost. Trying again…</Bar>
}

const Bar = ({ children }: { children: ReactNode }) => (
  <div
    role="status"
    className="sticky top-12 z-10 border-b bg-raised px-4 py-2 text-delayed sm:px-8 md:top-0"
  >
    {children}
  </div>
)

function signInAgain() {
  const next = location.pathname + location.search
  location.assign(`/dashboard/sign-in?next=${encodeURIComponent(next)}`)
}

/** Somebody comes back to this tab, perhaps from signing in. */
async function lookForSession() {
  await queries.refetchQueries(sessionQuery)
  if (!sessionEnded.get()) queries.invalidateQueries()
}
