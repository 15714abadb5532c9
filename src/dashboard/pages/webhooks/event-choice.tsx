import { EVENT_TYPES, type EventType } from "../../../worker/webhooks/events/types.ts"
import { sentence } from "../../ui/badge.tsx"

const nounOf = (type: string) => type.slice(0, type.indexOf("."))
const GROUPS = Object.entries(Object.groupBy(EVENT_TYPES, nounOf))

/** The contract's events, by what they are about. */
export function EventChoice({
  chosen,
  onChange,
  error,
}: {
  chosen: readonly EventType[]
  onChange(types: EventType[]): void
  error?: string | undefined
}) {
  const set = (types: readonly EventType[], on: boolean) =>
    onChange(EVENT_TYPES.filter((type) => (types.includes(type) ? on : chosen.includes(type))))
  return (
    <fieldset className="grid gap-3" aria-invalid={Boolean(error)}>
      <legend className="mb-1 font-medium">Events</legend>
      {GROUPS.map(([noun, types = []]) => {
        const all = types.every((type) => chosen.includes(type))
        return (
          <div key={noun} className="grid grid-cols-2 gap-x-4 gap-y-1 sm:grid-cols-3">
            <div className="col-span-full flex items-center justify-between gap-2 border-b pb-1">
              <span className="text-muted">{sentence(noun)}</span>
              <button
                type="button"
                onClick={() => set(types, !all)}
                className="text-xs text-muted underline-offset-2 hover:underline"
              >
                {all ? "None" : "All"} <span className="sr-only">of {noun}</span>
              </button>
            </div>
            {types.map((type) => (
              <label key={type} className="flex min-w-0 items-center gap-2">
                <input
                  type="checkbox"
                  checked={chosen.includes(type)}
                  onChange={(event) => set([type], event.target.checked)}
                  className="size-4 shrink-0 accent-primary"
                />
                <span className="min-w-0 truncate">{sentence(type.slice(noun.length + 1))}</span>
                <span className="sr-only">({type})</span>
              </label>
            ))}
          </div>
        )
      })}
      {error && (
        <p role="alert" className="text-xs text-failed">
          {error}
        </p>
      )}
    </fieldset>
  )
}
