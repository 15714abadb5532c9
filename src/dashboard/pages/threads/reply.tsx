import { Suspense, useRef } from "react"
import type { Thread, ThreadMessage } from "../../../client/types.ts"
import { escapeHtml } from "../../../lib/html.ts"
import { ownAddress } from "../../../lib/inbox-address.ts"
import { lazy } from "../../app/lazy.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { TextArea } from "../../ui/form/field.tsx"
import { sayError } from "../../ui/toast.tsx"
import { discard, keepDraft, post, takeBack, useReply, useSending } from "./replies.ts"

const ReplyEditor = lazy(() => import("./reply-editor.tsx"))

interface ReplyProps {
  thread: Thread
  rows: readonly ThreadMessage[]
  inbox: string | undefined
  isOpen: boolean
  onOpen(): void
  onClose(): void
}

/** The reply that is written or on its way. It answers the message that was the newest when it was begun. */
export function Reply({ thread: { id }, rows, inbox, isOpen, onOpen, onClose }: ReplyProps) {
  const reply = useReply(id)
  const sending = useSending(id)
  const received = rows.flatMap(({ received }) => received ?? [])
  const newest = received.findLast(({ kind }) => kind === "message") ?? received.at(-1)
  const begunWith = useRef<string>(undefined)
  begunWith.current = isOpen ? (begunWith.current ?? newest?.id) : undefined
  const answeredId = reply?.receivedId ?? begunWith.current
  const answered = received.find(({ id }) => id === answeredId) ?? newest
  const [to = answered?.from] = answered?.replyTo ?? []
  const named = answered && [
    answered.envelope.to,
    ...[...answered.to, ...answered.cc].map(({ email }) => email),
  ]
  const from = inbox && ownAddress(inbox, named ?? [])
  if (reply?.sent) {
    const undo = () => {
      try {
        takeBack(id)
        onOpen()
      } catch (error) {
        sayError(error)
      }
    }
    const edit = () => {
      keepDraft(id, reply.html)
      onOpen()
    }
    const isUnconfirmed = sending === "unconfirmed"
    return (
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-dashed p-4">
        <Badge
          state="waiting"
          label={isUnconfirmed ? "Unsent reply" : "Your reply is being sent"}
        />
        {sending === "held" && (
          <Button small onClick={undo}>
            Undo
          </Button>
        )}
        {isUnconfirmed && (
          <>
            <span>It may have arrived. “Send now” sends it only once.</span>
            <Button small onClick={() => void post(id)}>
              Send now
            </Button>
            <Button small kind="quiet" onClick={edit}>
              Edit
            </Button>
            <Discard id={id} />
          </>
        )}
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
        <Discard id={id} />
      </div>
    ) : null
  }
  return (
    <Suspense fallback={<Typed id={id} answeredId={answered?.id} />}>
      <ReplyEditor
        threadId={id}
        answeredId={answered?.id}
        draft={reply?.html ?? ""}
        about={[to && `To ${to.email}`, from && `from ${from}`].filter(Boolean).join(", ")}
        onClose={onClose}
      />
    </Suspense>
  )
}

const Discard = ({ id }: { id: string }) => (
  <Button small kind="quiet" onClick={() => void discard(id).catch(sayError)}>
    Discard
  </Button>
)

/** Takes what is typed before the editor is there. */
function Typed({ id, answeredId }: { id: string; answeredId: string | undefined }) {
  const before = useRef(useReply(id)?.html ?? "").current
  return (
    <TextArea
      aria-label="Reply"
      placeholder="Write a reply"
      autoFocus
      onChange={({ target }) =>
        keepDraft(id, before + escapeHtml(target.value).replaceAll("\n", "<br>"), answeredId)
      }
    />
  )
}
