import type { EmailExplanation, EmailWithEvents } from "../../../../client/types.ts"
import { Badge, sentence, tintOf } from "../../../ui/badge.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { duration, exactTime } from "../../../ui/time/times.ts"
import { RemoveSuppressions } from "../remove-suppressions.tsx"

const TIME = / (at|for) (\d{4}-\d\d-\d\dT[\d:.]+Z)/g

export function Why({
  email,
  explanation,
}: {
  email: EmailWithEvents
  explanation: EmailExplanation | undefined
}) {
  const { summary = "", cause, next = [], waitingFor } = explanation ?? {}
  const outcome = email.events.findLast(({ type }) => type === email.status)
  // The time of the outcome has a line of its own.
  const headline = summary.replaceAll(TIME, (_, preposition, at) =>
    at === outcome?.occurredAt ? "" : ` ${preposition} ${exactTime(at)}`,
  )
  const state = sentence(email.status)
  return (
    <section
      aria-label="What happened"
      className={`grid gap-2 rounded-lg border p-4 ${tintOf(email.status)}`}
    >
      <p className="text-lg wrap-anywhere">
        <Badge state={email.status} />{" "}
        {headline.startsWith(`${state} `) ? (
          headline.slice(state.length + 1)
        ) : (
          <span className="ml-2">{headline}</span>
        )}
      </p>
      {outcome && <When sentAt={email.sentAt} at={outcome.occurredAt} />}
      {cause && <p>{cause.meaning}</p>}
      {next.length > 0 && (
        <ul className="grid list-disc gap-1 pl-4 wrap-anywhere">
          {next.map((step) => (
            <li key={step}>
              <Step text={step} />
            </li>
          ))}
        </ul>
      )}
      {waitingFor && (
        <p>
          Waiting for {waitingFor.what}
          {waitingFor.until && (
            <>
              , <Time at={waitingFor.until} />
            </>
          )}
        </p>
      )}
      {next.some((step) => step.includes(REMOVAL)) && <RemoveSuppressions email={email} />}
    </section>
  )
}

const REMOVAL = "call DELETE /suppressions/:email"
const CALL = /((?:call )?(?:POST|PATCH|DELETE|GET) \/[\w/:]+)/

/** Advice names calls of the API. What the page can do as well is said in words. */
function Step({ text }: { text: string }) {
  return text.split(CALL).map((part, index) => {
    const isCall = index % 2 === 1
    if (!isCall) return part
    return (
      IN_WORDS[part] ?? (
        <code key={part} className="font-mono text-xs">
          {part}
        </code>
      )
    )
  })
}

const IN_WORDS: Record<string, string> = {
  [REMOVAL]: "remove the suppression",
  "call PATCH /emails/:id": "use “Reschedule”",
  "call POST /emails/:id/cancel": "use “Cancel email”",
}

/** The exact time of the outcome, and how long it took. */
function When({ sentAt, at }: { sentAt: string | null; at: string }) {
  const took = sentAt ? Date.parse(at) - Date.parse(sentAt) : 0
  return (
    <p>
      {exactTime(at)}
      {took > 0 && `, ${duration(took)} after it was sent`}
    </p>
  )
}
