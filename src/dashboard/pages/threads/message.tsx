import { ChevronDown, ChevronRight } from "lucide-react"
import { useState } from "react"
import type { Email, ThreadMessage } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Card } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import { nameOf, Proof } from "./proof.tsx"
import { ReceivedBody } from "./received-body.tsx"
import { SentBody } from "./sent-body.tsx"

interface Props {
  message: ThreadMessage
  isOpenAtFirst: boolean
}

/** One message of a thread. Its head opens and closes it. */
export function Message({ message: { email, received }, isOpenAtFirst }: Props) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const Icon = isOpen ? ChevronDown : ChevronRight
  const at = (email ?? received)?.createdAt
  return (
    <Card className="">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 items-center gap-2 rounded-md text-left"
        >
          <Icon size={14} aria-hidden className="shrink-0 text-muted" />
          <span className="min-w-0 font-medium wrap-anywhere">
            {received ? nameOf(received) : email?.from}
          </span>
        </button>
        {received && <Proof received={received} />}
        {email && <SentState email={email} />}
        <span className="ml-auto text-muted">
          <Time at={at} />
        </span>
      </div>
      {isOpen && (
        <div className="min-w-0 border-t p-4">
          {received && <ReceivedBody received={received} />}
          {email && <SentBody id={email.id} />}
        </div>
      )}
    </Card>
  )
}

const SentState = ({ email: { id, status } }: { email: Email }) => (
  <Link to={`/emails/${id}`} className="underline-offset-2 hover:underline">
    <Badge state={status} />
  </Link>
)
