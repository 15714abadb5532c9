import { useInfiniteQuery } from "@tanstack/react-query"
import type { EmailExplanation, EmailWithEvents } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { Badge, sentence } from "../../../ui/badge.tsx"
import { Button } from "../../../ui/button.tsx"
import { CopyButton } from "../../../ui/request/copy.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { duration } from "../../../ui/time/times.ts"
import { machineOpen } from "./machine-open.ts"

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
  const steps: Step[] = [
    ...faults.map(({ at, answer }, index) => ({
      id: `fault ${index}`,
      at,
      state: "fault",
      details: { reason: answer },
    })),
    ...events.map(({ id, type, occurredAt, ...details }) => ({
      id,
      at: occurredAt,
      state: type,
      details,
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return (
    <>
      <ol className="grid gap-4">
        <Entry at={email.createdAt} state="accepted" details={{}} />
        {steps.map((step, index) => (
          <Entry key={step.id} {...step} after={steps[index - 1]?.at ?? email.createdAt} />
        ))}
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

interface Step {
  id: string
  at: string
  state: string
  details: Record<string, unknown>
}

type EntryProps = Omit<Step, "id"> & {
  /** When the entry before it happened. */
  after?: string
}

function Entry({ at, state, details, after }: EntryProps) {
  const note = state === "opened" && machineOpen(details.userAgent)
  const passed = after ? Date.parse(at) - Date.parse(after) : 0
  return (
    <li className="grid min-w-0 gap-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        {state === "fault" ? (
          <Badge state={state} label="Attempt failed" tone="delayed" />
        ) : (
          <Badge state={state} />
        )}
        <span className="text-muted">
          {passed > 0 && <span className="mr-2">after {duration(passed)}</span>}
          <Time at={at} />
        </span>
      </div>
      {note && <p className="text-muted">{note}</p>}
      <Raw details={details} />
    </li>
  )
}

function Raw({ details }: { details: Record<string, unknown> }) {
  const shown = Object.entries(details).filter(([, value]) => value != null)
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
