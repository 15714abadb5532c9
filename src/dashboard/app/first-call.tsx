import { type ReactNode, useEffect, useState } from "react"
import { api } from "../api/api.ts"
import { Empty } from "../ui/empty.tsx"
import { ErrorBox } from "../ui/form/error-box.tsx"
import type { AsRequest } from "../ui/request/request-codes.ts"
import { RequestSnippet } from "../ui/request/request-snippet.tsx"
import { TaskButton } from "../ui/task-button.tsx"
import { useTask } from "../ui/use-task.ts"
import { useMay, useSession } from "./people.ts"

const LOOKS_EVERY_MS = 3_000
const MAX_KEY_NAME = 64

interface Props {
  title: string
  /** What this page lists. */
  children?: ReactNode
  /** A call that creates the first object of the list. */
  request: AsRequest
  permission?: "full" | "sending_only"
  /** Reads the list again. Needed where the stream does not announce new objects. */
  refetch?: () => unknown
}

/** The text of an empty list: a call that creates the first object and works when it is pasted. */
export function FirstCall({ title, children, request, permission = "full", refetch }: Props) {
  const { manage } = useMay()
  const { user } = useSession()
  const [secret, setSecret] = useState<string>()
  const { error, run } = useTask(async () => {
    const name = `${request.method} ${request.path}, ${user.name || user.email}`
    const { secret } = await api.apiKeys.create({ name: name.slice(0, MAX_KEY_NAME), permission })
    setSecret(secret)
  })
  useEffect(() => {
    if (!secret || !refetch) return
    const timer = setInterval(refetch, LOOKS_EVERY_MS)
    return () => clearInterval(timer)
  }, [secret, refetch])
  return (
    <Empty title={title}>
      {children}
      <p>
        {secret
          ? "Run this in a terminal. The result appears here."
          : "Or do it from code. The key is read from SVC_API_KEY."}
      </p>
      {manage && !secret && (
        <TaskButton run={run} className="justify-self-start">
          Create an API key for this snippet
        </TaskButton>
      )}
      {error !== null && <ErrorBox error={error} retry={run} />}
      {secret && <p>{KEYS[permission]}</p>}
      <RequestSnippet request={request} secret={secret} />
    </Empty>
  )
}

const KEYS = {
  full: "This key is shown only once. It has full access until you revoke it under API keys.",
  sending_only: "This key is shown only once. It can only send email.",
}
