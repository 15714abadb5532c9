import { EdgepostError } from "../api/api.ts"
import { Button } from "./button.tsx"
import { CopyButton } from "./copy.tsx"

/** An error with a retry and the request id, which is also in the logs. */
export function ErrorBox({ error, retry }: { error: unknown; retry?: () => void }) {
  const requestId = error instanceof EdgepostError ? error.requestId : null
  return (
    <div role="alert" className="grid gap-2 rounded-md border border-failed/40 p-3">
      <p className="font-medium text-failed">{messageOf(error)}</p>
      {(requestId || retry) && (
        <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
          {requestId && (
            <span className="inline-flex items-center">
              Request <code className="ml-1 font-mono break-all">{requestId}</code>
              <CopyButton text={requestId} label="Copy request id" />
            </span>
          )}
          {retry && (
            <Button small onClick={retry}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof EdgepostError && error.code === "network_error") {
    return "The server cannot be reached. Check your connection."
  }
  return error instanceof Error ? error.message : String(error)
}
