import { Suspense, useRef } from "react"
import type { Thread, ThreadMessage } from "../../../client/types.ts"
import { escapeHtml } from "../../../lib/html.ts"
import { lazy } from "../../app/lazy.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { TextArea } from "../../ui/field.tsx"
import { sayError } from "../../ui/toast.tsx"
import { canTakeBack, discard, keepDraft, post, takeBack, useReply } from "./replies.ts"

const ReplyEditor = lazy(() => import("./reply-editor.tsx"))

interface ReplyProps {
  thread: Thread
  rows: readonly ThreadMessage[]
  from: string | undefined
  isOpen: boolean
  onOpen(): void
  onClose(): void
}

/** The reply that is written or on its way. Whoever wrote last gets it. */
export function Reply({ thread: { id }, rows, from, isOpen, onOpen, onClose }: ReplyProps) {
  const reply = useReply(id)
  const last = rows.findLast(({ received }) => received?.kind === "message")?.received
  const [to = last?.from] = last?.replyTo ?? []
  if (reply?.sent) {
    const isHeld = canTakeBack(id)
    const undo = () => {
      try {
        takeBack(id)
        onOpen()
      } catch (error) {
        sayError(error)
      }
    }
    return (
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-4">
        <Badge state="waiting" label={isHeld ? "Your reply is being sent" : "Unsent reply"} />
        <Button small onClick={isHeld ? undo : () => void post(id)}>
          {isHeld ? "Undo" : "Send now"}
        </Button>
      </div>
    )
  }
  if (!isOpen) {
    return reply ? (
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-4">
        <span>You have an unsent reply.</span>
        <Button small onClick={onOpen}>
          Continue
        </Button>
        <Button small kind="quiet" onClick={() => void discard(id).catch(sayError)}>
          Discard
        </Button>
      </div>
    ) : null
  }
  return (
    <Suspense fallback={<Typed id={id} />}>
      <ReplyEditor
        threadId={id}
        draft={reply?.html ?? ""}
        about={[to && `To ${to.email}`, from && `from ${from}`].filter(Boolean).join(", ")}
        onClose={onClose}
      />
    </Suspense>
  )
}

/** Takes what is typed before the editor is there. */
function Typed({ id }: { id: string }) {
  const before = useRef(useReply(id)?.html ?? "").current
  return (
    <TextArea
      aria-label="Reply"
      placeholder="Write a reply"
      autoFocus
      onChange={({ target }) =>
        keepDraft(id, before + escapeHtml(target.value).replaceAll("\n", "<br>"))
      }
    />
  )
}
