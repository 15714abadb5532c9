import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useEffect, useId, useState } from "react"
import type { Sequence, SimulateSequenceInput, Simulation } from "../../../../client/types.ts"
import { api } from "../../../api/api.ts"
import { cx } from "../../../ui/cx.ts"
import { Field } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { DateTimeInput } from "../../../ui/time/date-input.tsx"
import { exactTime, toLocal } from "../../../ui/time/times.ts"
import { Loaded } from "../../../ui/waiting.tsx"
import { sampleQuery } from "../../campaigns/data.ts"
import { type HappeningDraft, HappeningFields, toHappenings } from "../happenings.tsx"
import type { Editing } from "../use-sequence.ts"
import { endWords, stepTitle } from "../words.ts"
import { stepOf } from "./tree.ts"

const MAX_PEOPLE = 20
const NOBODY = { email: "ada@example.com", firstName: "Ada", lastName: "Lovelace" }

interface Props {
  sequence: Sequence
  editing: Editing
  /** The steps that were passed up to the chosen moment. */
  onPlay(keys: readonly string[]): void
}

/** What would happen to somebody, by the code that runs live. */
export function TryIt({ sequence, editing, onPlay }: Props) {
  const { data: sample = [] } = useQuery(sampleQuery(sequence.bookId))
  const [contactId, setContactId] = useState("")
  const [startAt, setStartAt] = useState(() => toLocal(Date.now()))
  const [drafts, setDrafts] = useState<readonly HappeningDraft[]>([])
  const { steps } = editing.value
  // The same moment at each drawing: another would ask for another simulation.
  const [openedAt] = useState(Date.now)
  const start = new Date(startAt || openedAt)
  const input = useDeferredValue({
    contact: contactId || NOBODY,
    startAt: start.toISOString(),
    happenings: toHappenings(drafts, start),
    steps,
  } as SimulateSequenceInput)
  const isReady = steps.length > 0 && editing.issues.length === 0
  const simulation = useQuery({
    queryKey: ["sequences", "simulation", sequence.id, input],
    queryFn: ({ signal }) => api.sequences.simulate(sequence.id, input, { signal }),
    enabled: isReady,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  return (
    <div className="grid gap-4">
      <SelectField
        label="Who enters"
        value={contactId}
        onChange={setContactId}
        options={[
          ["", `Somebody new (${NOBODY.email})`],
          ...sample.slice(0, MAX_PEOPLE).map(({ id, email }) => [id, email] as const),
        ]}
      />
      <Field label="When">
        {(control) => (
          <DateTimeInput {...control} placeholder="Now" value={startAt} onChange={setStartAt} />
        )}
      </Field>
      <HappeningFields steps={steps} drafts={drafts} onChange={setDrafts} />
      {isReady ? (
        <Loaded query={simulation}>
          {(found) => <Timeline simulation={found} steps={steps} onPlay={onPlay} />}
        </Loaded>
      ) : (
        <p className="text-muted">
          {steps.length === 0 ? "Add a step first." : "Fill in the marked fields first."}
        </p>
      )}
    </div>
  )
}

interface TimelineProps extends Pick<Props, "onPlay"> {
  simulation: Simulation
  steps: Editing["value"]["steps"]
}

/** The moments in their order. The slider goes through them, and the cards follow. */
function Timeline({ simulation: { timeline, endedBy }, steps, onPlay }: TimelineProps) {
  const last = timeline.length - 1
  const [wanted, setWanted] = useState(Number.POSITIVE_INFINITY)
  const at = Math.min(wanted, last)
  const id = useId()
  useEffect(() => {
    onPlay(timeline.slice(0, at + 1).map(({ stepKey }) => stepKey))
  }, [timeline, at, onPlay])
  const nameOf = (key: string) => {
    const step = stepOf(steps, key)
    return step ? stepTitle(step) : key
  }
  const current = timeline[at]
  return (
    <div className="grid gap-3">
      {last > 0 && (
        <div className="grid gap-1">
          <label htmlFor={id} className="font-medium">
            Moment {at + 1} of {timeline.length}
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={last}
            value={at}
            aria-valuetext={current && `${exactTime(current.at)}, ${nameOf(current.stepKey)}`}
            onChange={({ target }) => setWanted(Number(target.value))}
            className="w-full accent-primary"
          />
        </div>
      )}
      <ol aria-label="What happens" className="grid">
        {timeline.map((entry, index) => (
          <li key={`${entry.at} ${entry.stepKey}`} className="border-l">
            <button
              type="button"
              aria-current={index === at ? "step" : undefined}
              onClick={() => setWanted(index)}
              className={cx(
                "block w-full rounded-md px-3 py-1.5 text-left hover:bg-sunken aria-[current=step]:bg-sunken",
                index > at && "text-muted",
              )}
            >
              <span className="block text-xs text-muted tabular-nums">{exactTime(entry.at)}</span>
              <span className="block font-medium wrap-anywhere">{nameOf(entry.stepKey)}</span>
              <span className="block text-xs wrap-anywhere">{entry.says}</span>
            </button>
          </li>
        ))}
      </ol>
      <p role="status" className="text-muted">
        {endedBy === null ? "Held until someone resumes it" : `At the end: ${endWords(endedBy)}`}
      </p>
    </div>
  )
}
