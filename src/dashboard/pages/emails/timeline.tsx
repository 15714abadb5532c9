import { useInfiniteQuery } from "@tanstack/react-query"
import type { EmailEvent, EmailExplanation, EmailWithEvents } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Badge, sentence } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy.tsx"
import { Time } from "../../ui/time.tsx"
import { duration } from "../../ui/times.ts"

interface Props {
  email: EmailWithEvents
  attempts: EmailExplanation["attempts"] | undefined
}

/** What happened, oldest first, with the provider's raw answers and the attempts that failed. */
export function Timeline({ email, attempts = [] }: Props) {
  const { id, eventsCursor } = email
  const more = useInfiniteQuery({
    queryKey: ["email", id, "events", eventsCursor],
    queryFn: ({ pageParam }) => api.emails.get(id, { eventsCursor: pageParam } as never),
    initialPageParam: eventsCursor,
    getNextPageParam: (page) => page.eventsCursor,
    enabled: false,
  })
  const events = [...email.events, ...(more.data?.pages.flatMap(({ events }) => events) ?? [])]
  const hasMore = more.data ? more.hasNextPage : eventsCursor !== undefined
  const faults = attempts.filter(({ outcome }) => outcome === "fault")
  const end = events.findIndex(({ type }) => ENDS_ATTEMPTS.has(type))
  const tried = end < 0 ? events.length : end
  const entries = events.map((event, index) => (
    <Entry
      key={event.id}
      at={event.occurredAt}
      state={event.type}
      event={event}
      after={index === 0 ? email.createdAt : events[index - 1]?.occurredAt}
    />
  ))
  return (
    <>
      <ol className="grid gap-4">
        <Entry at={email.createdAt} state="accepted" />
        {entries.slice(0, tried)}
        {faults.map(({ answer }) => (
          <li key={answer} className="grid min-w-0 gap-1">
            <Badge state="fault" label="Attempt failed" tone="delayed" />
            <Raw details={{ reason: answer }} />
          </li>
        ))}
        {entries.slice(tried)}
      </ol>
      {hasMore && (
        <Button
          className="mt-4"
          busy={more.isFetching}
          onClick={() => (more.data ? more.fetchNextPage() : more.refetch())}
        >
          Show more
        </Button>
      )}
    </>
  )
}

/** The record keeps the last fault without its time: it came before these. */
const ENDS_ATTEMPTS = new Set<EmailEvent["type"]>(["sent", "failed", "cancelled"])

interface EntryProps {
  at: string
  state: string
  event?: EmailEvent
  /** When the entry before it happened. */
  after?: string | undefined
}

function Entry({ at, state, event, after }: EntryProps) {
  const { id: _id, type: _type, occurredAt: _at, ...details } = event ?? ({} as EmailEvent)
  const passed = after ? Date.parse(at) - Date.parse(after) : 0
  return (
    <li className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <Badge state={state} />
        <span className="text-muted">
          {passed > 0 && <span className="mr-2">after {duration(passed)}</span>}
          <Time at={at} />
        </span>
      </div>
      <Raw details={details} />
    </li>
  )
}

function Raw({ details }: { details: Record<string, unknown> }) {
  const shown = Object.entries(details).filter(([, value]) => value !== undefined)
  if (shown.length === 0) return null
  return (
    <dl className="grid gap-1 border-l pl-3 text-xs">
      {shown.map(([name, value]) => {
        const text = Array.isArray(value) ? value.join(", ") : String(value)
        return (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt className="text-muted">{sentence(spaced(name))}</dt>
            <dd className="flex min-w-0 items-start gap-1 font-mono break-all">
              {text}
              {text.length > 40 && <CopyButton text={text} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** `diagnosticCode` becomes "diagnostic code". */
const spaced = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
